// Only work-item 0 asks for the copy. All of the group have to (C, Async Copies).
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
//! also E-ASYNCEVENT
kernel void copy(global const int *in, global int *out)
{
	local int tile[8];
	event_t e = 0;
	if (get_local_id(0) == 0)
		e = async_work_group_copy(tile, in, 8, 0); // find E-ASYNCPART
	wait_group_events(1, &e);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_local_id(0)] = 1;
}
