// All count atomically; each then reads the counter plainly.
//! run -global 8 -local 8 -arg zero:i32:1 -arg zero:i32:8
//! varies
kernel void tickets(global int *n, global int *out)
{
	atomic_inc(n); // find E-RACE
	out[get_local_id(0)] = *n; // find E-RACE
}
