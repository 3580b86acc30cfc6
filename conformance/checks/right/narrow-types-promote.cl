// A sum of chars is one of ints, and its conversion back is not an overflow of arithmetic.
//! run -global 4 -local 4 -arg fill:i8:4:100 -arg zero:i8:4
kernel void twice(global const char *in, global char *out)
{
	char x = in[get_global_id(0)];
	out[get_global_id(0)] = (char)((x + x) / 2);
}
