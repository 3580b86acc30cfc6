kernel void reverse(global const int *in, global int *out, local int *tile)
{
	size_t place = get_local_id(0), last = get_local_size(0) - 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	tile[place] = in[get_global_id(0)];
	out[get_global_id(0)] = tile[last - place];
}
