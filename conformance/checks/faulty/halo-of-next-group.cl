// Each group writes its strip and reads the first element of the next one.
//! run -global 16 -local 4 -arg iota:i32:17 -arg zero:i32:16
kernel void gradient(global int *a, global int *out)
{
	size_t g = get_global_id(0);
	a[g] *= 2; // find E-RACE
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[g] = a[g + 1] - a[g]; // find E-RACE
}
