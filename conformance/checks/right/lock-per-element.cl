// One lock for each of four elements.
//! run -global 8 -local 1 -arg zero:i32:4 -arg zero:i32:4
kernel void add(global atomic_int *locks, global int *sums)
{
	size_t e = get_group_id(0) % 4;
	while (atomic_exchange_explicit(&locks[e], 1, memory_order_acq_rel, memory_scope_device))
		;
	sums[e] += 1;
	atomic_exchange_explicit(&locks[e], 0, memory_order_acq_rel, memory_scope_device);
}
