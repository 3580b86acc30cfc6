// Writes to the other place, and reads what it needs.
kernel void reverse(global const int *in, global int *out, local int *tile)
{
	size_t place = get_local_id(0), last = get_local_size(0) - 1;
	tile[last - place] = in[get_global_id(0)];
	work_group_barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = tile[place];
}
