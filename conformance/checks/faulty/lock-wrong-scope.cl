// A lock between work-groups whose operations have the scope of a work-group: they are not even
// atomic to each other (API, Overview of Atomic and Fence Operations, inclusive scopes).
//! run -global 4 -local 1 -arg zero:i32:1 -arg zero:i32:1
kernel void add(global atomic_int *lock, global int *sum)
{
	while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_work_group)) // find E-RACE
		;
	*sum += 1; // find E-RACE
	atomic_store_explicit(lock, 0, memory_order_release, memory_scope_work_group); // find E-RACE
}
