// Two functions guard the same sum with different locks.
//! run -global 4 -local 1 -arg zero:i32:2 -arg zero:i32:1
kernel void add(global atomic_int *locks, global int *sum)
{
	global atomic_int *lock = locks + get_group_id(0) % 2;
	while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
		;
	*sum += 1; // find E-RACE
	atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
