// Relaxed operations on the lock, with fences of the scope of the device behind and before them
// (API, Fence Operations).
//! run -global 4 -local 1 -arg zero:i32:1 -arg zero:i32:1
kernel void add(global atomic_int *lock, global int *sum)
{
	while (atomic_exchange_explicit(lock, 1, memory_order_relaxed, memory_scope_device))
		;
	atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
	*sum += 3;
	atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
	atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device);
}
