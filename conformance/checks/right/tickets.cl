// Tickets from an atomic counter. The places differ from run to run, but none is taken twice.
//! run -global 16 -local 4 -arg iota:i32:16 -arg zero:i32:1 -arg zero:i32:16
//! varies
kernel void queue(global const int *in, global int *end, global int *out)
{
	int x = in[get_global_id(0)];
	if (x % 2)
		out[atomic_inc(end)] = x;
}
