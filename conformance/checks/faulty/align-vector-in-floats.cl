// A float4 through a pointer that is aligned to floats only (C, Alignment of Types).
//! run -global 2 -local 2 -arg iota:f32:16 -arg zero:f32:2
kernel void load(global const float *in, global float *out)
{
	float4 v = *(global const float4 *)(in + 1 + 4 * get_global_id(0)); // find E-ALIGN
	out[get_global_id(0)] = v.x;
}
