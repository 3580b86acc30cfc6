// Two copies, and the wait is for the first one's event both times.
//! run -global 8 -local 8 -arg iota:i32:16 -arg zero:i32:8
//! also E-UNINIT
//! also E-ASYNCNOWAIT
kernel void add(global const int *in, global int *out)
{
	local int a[8], b[8];
	event_t ea = async_work_group_copy(a, in, 8, 0);
	event_t eb = async_work_group_copy(b, in + 8, 8, 0);
	wait_group_events(1, &ea);
	out[get_local_id(0)] = a[get_local_id(0)] + b[get_local_id(0)]; // find E-ASYNCREAD
}
