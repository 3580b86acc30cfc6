// A lock of relaxed atomic operations lets one group at a time in, and orders none of what they do
// inside (API, Atomic Operations: relaxed operations do not synchronize).
//! run -global 4 -local 1 -arg zero:i32:1 -arg zero:i32:1
kernel void add(global int *lock, global int *sum)
{
	while (atomic_cmpxchg(lock, 0, 1) != 0)
		;
	*sum += 1; // find E-RACE
	atomic_xchg(lock, 0);
}
