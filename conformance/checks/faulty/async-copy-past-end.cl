// The copy is longer than the tile.
//! run -global 8 -local 8 -arg iota:i32:16 -arg zero:i32:8
kernel void copy(global const int *in, global int *out)
{
	local int tile[8];
	event_t e = async_work_group_copy(tile, in, 10, 0); // find E-OOB
	wait_group_events(1, &e);
	out[get_local_id(0)] = tile[get_local_id(0)];
}
