// Work-items write what the copy reads from global memory, and the barrier between the two orders local memory.
//! run -global 16 -local 8 -arg zero:i32:16 -arg zero:i32:16
kernel void copy(global int *a, global int *out)
{
	local int tile[8];
	a[get_global_id(0)] = (int)get_global_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	event_t e = async_work_group_copy(tile, a + get_group_id(0) * 8, 8, 0); // find E-ASYNCRACE
	wait_group_events(1, &e);
	out[get_global_id(0)] = tile[get_local_id(0)];
}
