kernel void brighter(global const int *in, global int *out)
{
	local int tile[64];
	event_t copy = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
	wait_group_events(1, &copy);
	out[get_global_id(0)] = tile[get_local_id(0)] + 10;
}
