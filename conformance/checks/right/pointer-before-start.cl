// A pointer that goes below the start and comes back before it is used. (In C that is undefined; in
// SPIR-V without InBounds it is not, and no access is out of bounds.)
//! run -global 4 -local 4 -arg iota:i32:4 -arg zero:i32:4 -arg i64:4
kernel void back(global const int *in, global int *out, long n)
{
	global const int *p = (global const int *)((ulong)in - 4 * n);
	out[get_global_id(0)] = *(global const int *)((ulong)p + 4 * n + 4 * get_global_id(0));
}
