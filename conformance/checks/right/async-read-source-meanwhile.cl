// Reading the source of a copy under way is no conflict.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void both(global const int *in, global int *out)
{
	local int tile[8];
	size_t l = get_local_id(0);
	event_t e = async_work_group_copy(tile, in, 8, 0);
	int x = in[l];
	wait_group_events(1, &e);
	out[l] = x + tile[7 - l];
}
