// A function's array is another one in each call.
//! run -global 2 -local 2 -arg zero:i32:8
int next(int i)
{
	int x[2];
	if (i == 0)
		x[0] = x[1] = 7;
	return x[i & 1];
}
kernel void calls(global int *out)
{
	for (int i = 0; i < 4; i++)
		out[get_global_id(0) * 4 + i] = next(i); // find E-UNINIT
}
