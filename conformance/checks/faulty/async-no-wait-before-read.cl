// The copy has been asked for; nobody has waited for it when the data is used.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! also E-UNINIT
kernel void copy(global const int *in, global int *out)
{
	local int tile[16];
	event_t e = async_work_group_copy(tile, in, 16, 0);
	out[get_local_id(0)] = tile[get_local_id(0)]; // find E-ASYNCREAD
	wait_group_events(1, &e);
}
