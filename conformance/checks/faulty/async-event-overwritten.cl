// The variable of the event is overwritten by the second copy's; nobody can wait for the first one.
//! run -global 8 -local 8 -arg iota:i32:16 -arg zero:i32:8
//! also E-UNINIT
//! also E-ASYNCREAD
kernel void add(global const int *in, global int *out)
{
	local int a[8], b[8];
	event_t e;
	e = async_work_group_copy(a, in, 8, 0); // find E-ASYNCNOWAIT
	e = async_work_group_copy(b, in + 8, 8, 0);
	wait_group_events(1, &e);
	out[get_local_id(0)] = b[get_local_id(0)];
}
