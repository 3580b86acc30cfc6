// The work-items use the half of the tile that the copy does not touch.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:16
kernel void halves(global const int *in, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0);
	event_t e = async_work_group_copy(tile, in, 8, 0);
	tile[8 + l] = -(int)l;
	out[8 + l] = tile[8 + l];
	wait_group_events(1, &e);
	out[l] = tile[l];
}
