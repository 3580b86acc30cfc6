// The result of a function is used only if it says that there is one.
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
	if (half_of(in[get_global_id(0)], &h))
		out[get_global_id(0)] = h;
}
