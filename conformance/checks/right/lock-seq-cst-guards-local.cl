// A lock in global memory for local data. Of two sequentially consistent operations that
// synchronize in one memory, the specification says that they do in both (API, Atomic Operations).
//! run -global 4 -local 4 -arg zero:i32:1 -arg zero:i32:1
//! no clang -O2: the loop is turned, so that lanes spin before the one with the lock gives it back
kernel void add(global atomic_int *lock, global int *out)
{
	local int sum;
	if (get_local_id(0) == 0)
		sum = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (bool done = false; !done;)
		if (atomic_exchange_explicit(lock, 1, memory_order_seq_cst, memory_scope_device) == 0) {
			sum += 1;
			atomic_store_explicit(lock, 0, memory_order_seq_cst, memory_scope_device);
			done = true;
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		*out = sum;
}
