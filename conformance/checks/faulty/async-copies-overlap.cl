// Two copies under way write the same elements of the tile.
//! run -global 8 -local 8 -arg iota:i32:16 -arg zero:i32:8
kernel void merge(global const int *in, global int *out)
{
	local int tile[12];
	event_t e = async_work_group_copy(tile, in, 8, 0);
	e = async_work_group_copy(tile + 4, in + 8, 8, e); // find E-ASYNCOVERLAP
	wait_group_events(1, &e);
	out[get_local_id(0)] = tile[get_local_id(0)];
}
