// The lock is taken with an atomic operation and given back with a plain store.
//! run -global 4 -local 1 -arg zero:i32:1 -arg zero:i32:1
kernel void add(global volatile int *lock, global int *sum)
{
	for (bool done = false; !done;) {
		if (atomic_cmpxchg(lock, 0, 1) == 0) { // find E-RACE
			mem_fence(CLK_GLOBAL_MEM_FENCE);
			*sum += 1; // find E-RACE
			mem_fence(CLK_GLOBAL_MEM_FENCE);
			*lock = 0; // find E-RACE
			done = true;
		}
	}
}
