// Every work-item reads what its left neighbour has written. There is a barrier.
kernel void groups(global int *data, global int *out)
{
	size_t i = get_global_id(0);
	data[i] = i;
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[i] = i > 0 ? data[i - 1] : -1;
}
