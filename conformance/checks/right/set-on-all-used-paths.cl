// The variable is set on every path that uses it, and only there.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void paths(global const int *in, global int *out)
{
	size_t g = get_global_id(0);
	int x, known = in[g] % 2;
	if (known)
		x = in[g] * 10;
	if (known)
		out[g] = x;
}
