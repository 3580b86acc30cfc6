// A lock between the work-items of one group, taken and given back in one iteration, so that lanes
// that run in lockstep get on.
//! run -global 8 -local 8 -arg zero:i32:1
//! no clang -O2: the loop is turned, so that lanes spin before the one with the lock gives it back
kernel void add(global int *out)
{
	local atomic_int lock;
	local int sum;
	if (get_local_id(0) == 0) {
		atomic_init(&lock, 0);
		sum = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (bool done = false; !done;)
		if (atomic_exchange_explicit(&lock, 1, memory_order_acquire, memory_scope_work_group) == 0) {
			sum += (int)get_local_id(0);
			atomic_store_explicit(&lock, 0, memory_order_release, memory_scope_work_group);
			done = true;
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		*out = sum;
}
