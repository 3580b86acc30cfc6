// The stride counts elements, not bytes: the last ones lie past the end of the source.
//! run -global 4 -local 4 -arg iota:i32:16 -arg zero:i32:4
kernel void column(global const int *in, global int *out)
{
	local int tile[4];
	event_t e = async_work_group_strided_copy(tile, in, 4, 4 * sizeof(int), 0); // find E-OOB
	wait_group_events(1, &e);
	out[get_local_id(0)] = tile[get_local_id(0)];
}
