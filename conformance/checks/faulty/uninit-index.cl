// An index that was never set.
//! run -global 1 -local 1 -arg iota:i32:4 -arg zero:i32:1
kernel void pick(global const int *in, global int *out)
{
	uint i;
	out[0] = in[i % 4]; // find E-UNINIT
}
