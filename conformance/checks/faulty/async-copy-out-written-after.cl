// A work-item of another group writes where the copy of this one goes.
//! run -global 16 -local 8 -arg zero:i32:16
kernel void copy(global int *out)
{
	local int tile[8];
	tile[get_local_id(0)] = (int)get_global_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_group_id(0) == 0) {
		event_t e = async_work_group_copy(out, tile, 8, 0); // find E-RACE
		wait_group_events(1, &e);
	} else
		out[get_local_id(0)] = -1; // find E-RACE
}
