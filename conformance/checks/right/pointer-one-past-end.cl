// A pointer one past the end may be made and compared, as long as nobody reads there.
//! run -global 1 -local 1 -arg iota:i32:8 -arg zero:i32:1
kernel void sum(global const int *in, global int *out)
{
	int s = 0;
	for (global const int *p = in, *end = in + 8; p != end; p++)
		s += *p;
	*out = s;
}
