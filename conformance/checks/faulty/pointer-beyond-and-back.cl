// A pointer that goes 2^38 elements past the end and comes back by wrapping around.
//! run -global 1 -local 1 -arg iota:i32:8 -arg zero:i32:1 -arg u64:0x2000000000
kernel void far(global const int *in, global int *out, ulong n)
{
	global const int *p = in + n;
	p = p + n;
	*out = *p; // find E-OOB
}
