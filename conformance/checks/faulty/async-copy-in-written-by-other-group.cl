// A group copies in what another group writes.
//! run -global 16 -local 8 -arg zero:i32:16 -arg zero:i32:16
kernel void copy(global int *a, global int *out)
{
	local int tile[8];
	if (get_group_id(0) == 0)
		a[get_local_id(0)] = 3; // find E-RACE
	barrier(CLK_GLOBAL_MEM_FENCE);
	event_t e = async_work_group_copy(tile, a, 8, 0); // find E-RACE
	wait_group_events(1, &e);
	out[get_global_id(0)] = tile[get_local_id(0)];
}
