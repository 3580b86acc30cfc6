// A work-item that does not get the lock does without: nothing depends on who does.
//! run -global 8 -local 2 -arg zero:i32:1 -arg zero:i32:1
//! varies
kernel void try_add(global atomic_int *lock, global int *sum)
{
	for (int i = 0; i < 3; i++)
		if (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device) == 0) {
			*sum += 1;
			atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
			return;
		}
}
