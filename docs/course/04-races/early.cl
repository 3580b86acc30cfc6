// As rotate of lesson 3, without the barrier.
kernel void early(global const int *in, global int *out, local int *tile)
{
	size_t place = get_local_id(0), size = get_local_size(0);
	tile[place] = in[get_global_id(0)];
	out[get_global_id(0)] = tile[(place + 1) % size];
}
