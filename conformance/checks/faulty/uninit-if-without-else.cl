// The variable is set in one branch and decides another one.
//! run -global 4 -local 4 -arg iota:i32:4 -arg zero:i32:4
kernel void signs(global const int *in, global int *out)
{
	int positive;
	if (in[get_global_id(0)] > 1)
		positive = 1;
	if (positive) // find E-UNINIT
		out[get_global_id(0)] = 1;
}
