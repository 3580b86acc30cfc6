// Kernels that wait in a loop for other work-items.

// A lock that each work-item takes: the one that has it waits behind the loop for the others of its sub-group.
kernel void lock(global uint *lock, global uint *count)
{
	while (atomic_cmpxchg(lock, 0, 1) != 0)
		;
	++*count;
	atomic_xchg(lock, 0);
}

// The first work-group waits for the last one.
kernel void order(global uint *flag)
{
	if (get_group_id(0) == get_num_groups(0) - 1)
		atomic_xchg(flag, 1);
	else
		while (atomic_or(flag, 0) == 0)
			;
}
