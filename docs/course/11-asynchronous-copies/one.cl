// Each work-group adds up its 64 elements, by way of an asynchronous copy.
kernel void one(global const int *in, global int *sums)
{
	local int tile[64];
	event_t copy = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
	wait_group_events(1, &copy);
	int sum = work_group_reduce_add(tile[get_local_id(0)]);
	if (get_local_id(0) == 0)
		sums[get_group_id(0)] = sum;
}
