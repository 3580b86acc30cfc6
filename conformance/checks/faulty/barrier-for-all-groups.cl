// A barrier is taken for one of the whole launch.
//! run -global 32 -local 8 -arg zero:i32:32 -arg zero:i32:32
kernel void reverse(global int *scratch, global int *out)
{
	size_t g = get_global_id(0), n = get_global_size(0);
	scratch[g] = (int)g; // find E-RACE
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[g] = scratch[n - 1 - g]; // find E-RACE
}
