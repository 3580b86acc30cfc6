// Every fourth element of the source, in its bounds.
//! run -global 4 -local 4 -arg iota:i32:16 -arg zero:i32:4
kernel void column(global const int *in, global int *out)
{
	local int tile[4];
	event_t e = async_work_group_strided_copy(tile, in + 1, 4, 4, 0);
	wait_group_events(1, &e);
	out[get_local_id(0)] = tile[get_local_id(0)];
}
