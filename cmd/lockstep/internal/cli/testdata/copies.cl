kernel void copies(global const int *in, global int *out)
{
	local int tile[8];
	int i = get_local_id(0);
	int before = in[i];
	event_t e = async_work_group_copy(tile, in, 8, 0);
	wait_group_events(1, &e);
	out[i] = tile[i] + before;
}
