// A work-group reverses its elements. Each work-item writes one element to local memory, which the work-items of
// the group share, waits for the others at the barrier, and reads an element that another work-item has written.
kernel void reverse(global const int *in, global int *out, local int *tile)
{
	int place = get_local_id(0);
	int last = get_local_size(0) - 1;
	tile[place] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = tile[last - place];
}
