// Both sides of a selection are computed; the unset one is not chosen.
//! run -global 4 -local 4 -arg iota:i32:4 -arg zero:i32:4
kernel void choose(global const int *in, global int *out)
{
	size_t g = get_global_id(0);
	int x;
	if (in[g] > 1)
		x = 7;
	out[g] = in[g] > 1 ? x : -1;
}
