// An array of float3 has a stride of four floats; the fourth one is written by nobody.
//! run -global 4 -local 4 -arg iota:f32:16:as-bytes -arg zero:f32:4
kernel void sums(global const float3 *in, global float *out)
{
	float3 v = in[get_global_id(0)];
	out[get_global_id(0)] = v.x + v.y + v.z;
}
