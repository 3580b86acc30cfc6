// The shift in place, with a barrier between all reads and all writes.
//! run -global 15 -local 15 -arg iota:i32:16
kernel void shift_left(global int *a)
{
	size_t i = get_global_id(0);
	int x = a[i + 1];
	barrier(CLK_GLOBAL_MEM_FENCE);
	a[i] = x;
}
