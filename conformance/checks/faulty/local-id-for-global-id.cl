// Uses the local id where the global id is meant: each group writes the same elements.
//! run -global 32 -local 8 -arg iota:f32:32 -arg zero:f32:32
kernel void square(global const float *in, global float *out)
{
	size_t i = get_local_id(0);
	out[i] = in[i] * in[i]; // find E-RACE
}
