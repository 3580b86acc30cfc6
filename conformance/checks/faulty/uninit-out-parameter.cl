// A function sets its result only when it succeeds, and the caller does not ask.
//! run -global 4 -local 4 -arg iota:i32:4 -arg zero:i32:4
bool half_of(int x, int *result)
{
	if (x % 2)
		return false;
	*result = x / 2;
	return true;
}
kernel void halves(global const int *in, global int *out)
{
	int h;
	half_of(in[get_global_id(0)], &h);
	out[get_global_id(0)] = h; // find E-UNINIT
}
