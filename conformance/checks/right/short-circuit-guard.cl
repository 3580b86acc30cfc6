// && keeps the second operand from being read out of bounds.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void ends(global const int *in, global int *out)
{
	int i = get_global_id(0);
	out[i] = (i > 0 && in[i - 1] < in[i]) + (i < 7 && in[i + 1] > in[i]);
}
