kernel void crowd(global const int *in, global int *sum, local int *part)
{
	int place = get_local_id(0);
	if (place == 0)
		part[0] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(part, in[get_global_id(0)]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (place == 0)
		atomic_add(sum, part[0]);
}
