// A running sum in an int.
//! run -global 1 -local 1 -arg fill:i32:4:1000000000 -arg zero:i32:1
kernel void sum(global const int *in, global int *out)
{
	int s = 0;
	for (int i = 0; i < 4; i++)
		s += in[i]; // find E-OVERFLOW
	*out = s;
}
