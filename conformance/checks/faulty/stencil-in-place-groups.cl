// A stencil in place: the barrier orders a group, and the elements at its ends belong to others.
//! run -global 32 -local 16 -arg iota:i32:34
kernel void blur(global int *a)
{
	size_t i = get_global_id(0) + 1;
	int x = a[i - 1] + a[i + 1]; // find E-RACE
	barrier(CLK_GLOBAL_MEM_FENCE);
	a[i] = x; // find E-RACE
}
