// Forgets the second dimension in the index, so that a column of work-items shares an element.
//! run -global 8,2 -local 8,2 -arg iota:i32:8 -arg zero:i32:8
kernel void row(global const int *in, global int *out)
{
	size_t x = get_global_id(0), y = get_global_id(1);
	out[x] = in[x] + (int)y; // find E-RACE
}
