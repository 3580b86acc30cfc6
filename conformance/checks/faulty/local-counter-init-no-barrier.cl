// Work-item 0 clears a counter that all of them increment.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! also E-UNINIT
//! varies
kernel void compact(global const int *in, global int *out)
{
	local int count;
	int x = in[get_local_id(0)];
	if (get_local_id(0) == 0)
		count = 0; // find E-RACE
	if (x % 2)
		out[atomic_inc(&count) & 15] = x; // find E-RACE
}
