// An array whose unset elements are copied from place to place and never looked at.
//! run -global 2 -local 2 -arg iota:i32:2 -arg zero:i32:2
kernel void shift(global const int *in, global int *out)
{
	int a[4];
	a[0] = in[get_global_id(0)];
	for (int i = 3; i > 0; i--)
		a[i] = a[i - 1];
	out[get_global_id(0)] = a[1];
}
