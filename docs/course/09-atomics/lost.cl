// Every work-item adds 1 to the same number, in three ways.
kernel void plain(global int *count)
{
	*count = *count + 1;
}

kernel void atomic(global int *count)
{
	atomic_inc(count);
}

kernel void grouped(global int *count)
{
	local int ours;
	if (get_local_id(0) == 0)
		ours = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_inc(&ours);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		atomic_add(count, ours);
}
