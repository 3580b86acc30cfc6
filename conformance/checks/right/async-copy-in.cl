// Copy, wait, read: each work-item waits, so that no barrier is needed.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
kernel void copy(global const int *in, global int *out)
{
	local int tile[16];
	event_t e = async_work_group_copy(tile, in, 16, 0);
	wait_group_events(1, &e);
	out[get_local_id(0)] = tile[15 - get_local_id(0)];
}
