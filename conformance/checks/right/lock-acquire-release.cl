// A lock between groups: acquire when taken, release when given back.
//! run -global 4 -local 1 -arg zero:i32:1 -arg zero:i32:1
kernel void add(global atomic_int *lock, global int *sum)
{
	int free = 0;
	while (!atomic_compare_exchange_strong_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
		free = 0;
	*sum += (int)get_group_id(0);
	atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
