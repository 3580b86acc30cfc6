// The group that takes the lock first returns with it.
//! run -global 2 -local 1 -arg zero:i32:1 -arg zero:i32:1
kernel void add(global atomic_int *lock, global int *sum)
{
	while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device)) // find E-ENDLESS
		;
	*sum += 1;
	if (*sum == 1)
		return;
	atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
