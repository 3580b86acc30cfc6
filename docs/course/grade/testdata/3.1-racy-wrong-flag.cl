// The barrier orders global memory only.
kernel void reverse(global const int *in, global int *out, local int *tile)
{
	size_t place = get_local_id(0), last = get_local_size(0) - 1;
	tile[place] = in[get_global_id(0)];
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[get_global_id(0)] = tile[last - place];
}
