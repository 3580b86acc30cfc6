// Each work-item asks for a copy of its own element, as if the copy were its own.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
//! also E-UNINIT
kernel void copy(global const int *in, global int *out)
{
	local int tile[8];
	size_t l = get_local_id(0);
	event_t e = async_work_group_copy(tile + l, in + l, 1, 0); // find E-ASYNCDIFF
	wait_group_events(1, &e);
	if (l == 0)
		out[0] = tile[0];
}
