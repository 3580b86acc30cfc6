// barrier(0) between accesses of a work-item's own elements, with nothing to order.
//! run -global 16 -local 16 -arg iota:i32:16
kernel void own(global int *a)
{
	size_t l = get_local_id(0);
	a[l] += 1;
	barrier(0);
	a[l] *= 2;
}
