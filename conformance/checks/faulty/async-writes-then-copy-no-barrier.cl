// The work-items write the tile, and the copy of it to global memory begins without a barrier (C
// 6.15.11: a copy does not synchronize with the writers of its source).
//! run -global 16 -local 16 -arg zero:i32:16
kernel void copy(global int *out)
{
	local int tile[16];
	tile[get_local_id(0)] = (int)get_local_id(0); // find E-ASYNCRACE
	event_t e = async_work_group_copy(out, tile, 16, 0); // find E-ASYNCRACE
	wait_group_events(1, &e);
}
