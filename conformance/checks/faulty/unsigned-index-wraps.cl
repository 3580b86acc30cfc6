// i - 1 of an unsigned 0 is a very large index.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void differences(global const int *in, global int *out)
{
	uint i = get_global_id(0);
	out[i] = in[i] - in[i - 1]; // find E-OOB
}
