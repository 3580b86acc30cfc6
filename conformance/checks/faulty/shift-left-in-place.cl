// Each element moves to the left in place; the neighbour may have moved already.
//! run -global 15 -local 15 -arg iota:i32:16
kernel void shift_left(global int *a)
{
	size_t i = get_global_id(0);
	a[i] = a[i + 1]; // find E-RACE
}
