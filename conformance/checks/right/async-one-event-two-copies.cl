// Two copies share an event, and one wait is for both.
//! run -global 8 -local 8 -arg iota:i32:16 -arg zero:i32:8
kernel void add(global const int *in, global int *out)
{
	local int a[8], b[8];
	event_t e = async_work_group_copy(a, in, 8, 0);
	e = async_work_group_copy(b, in + 8, 8, e);
	wait_group_events(1, &e);
	out[get_local_id(0)] = a[get_local_id(0)] + b[get_local_id(0)];
}
