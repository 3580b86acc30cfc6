// Writes, a barrier, the copy, the wait.
//! run -global 16 -local 16 -arg zero:i32:16
kernel void copy(global int *out)
{
	local int tile[16];
	tile[get_local_id(0)] = (int)get_local_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	event_t e = async_work_group_copy(out, tile, 16, 0);
	wait_group_events(1, &e);
}
