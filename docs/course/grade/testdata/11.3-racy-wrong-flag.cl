kernel void flip(global const int *in, global int *out)
{
	local int tile[64], turned[64];
	int place = get_local_id(0);
	size_t first = 64 * get_group_id(0);
	event_t copy = async_work_group_copy(tile, in + first, 64, 0);
	wait_group_events(1, &copy);
	turned[63 - place] = tile[place];
	barrier(CLK_GLOBAL_MEM_FENCE);
	copy = async_work_group_copy(out + first, turned, 64, 0);
	wait_group_events(1, &copy);
}
