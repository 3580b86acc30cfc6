// Fences with the flag of local memory around data in global memory.
//! run -global 4 -local 1 -arg zero:i32:1 -arg zero:i32:1
kernel void add(global atomic_int *lock, global int *sum)
{
	while (atomic_exchange_explicit(lock, 1, memory_order_relaxed, memory_scope_device))
		;
	atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
	*sum += 1; // find E-RACE
	atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_device);
	atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device);
}
