kernel void deviation(global const int *in, global int *out, local int *tile)
{
	local int least;
	size_t place = get_local_id(0);
	tile[place] = in[get_global_id(0)];
	if (place == 0) {
		least = tile[0];
		for (size_t k = 1; k < get_local_size(0); k++)
			least = min(least, tile[k]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = tile[place] - least;
}
