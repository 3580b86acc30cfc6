// Each work-group moves its elements one place to the left, by way of local memory.
kernel void rotate(global const int *in, global int *out, local int *tile)
{
	size_t place = get_local_id(0), size = get_local_size(0);
	tile[place] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = tile[(place + 1) % size];
}
