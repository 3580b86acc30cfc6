// i <= n in the loop.
//! run -global 1 -local 1 -arg iota:i32:8 -arg zero:i32:1 -arg i32:8
kernel void sum(global const int *in, global int *out, int n)
{
	int s = 0;
	for (int i = 0; i <= n; i++)
		s += in[i]; // find E-OOB
	*out = s;
}
