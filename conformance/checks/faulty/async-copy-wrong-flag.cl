// The barrier ahead of the copy names the other kind of memory.
//! run -global 16 -local 8 -arg zero:i32:16
kernel void copy(global int *out)
{
	local int tile[8];
	tile[get_local_id(0)] = (int)get_global_id(0);
	barrier(CLK_GLOBAL_MEM_FENCE);
	event_t e = async_work_group_copy(out + get_group_id(0) * 8, tile, 8, 0); // find E-ASYNCRACE
	wait_group_events(1, &e);
}
