// An array of float3 has a stride of 16 bytes; the host packed the values at 12 bytes.
//! run -global 4 -local 4 -arg iota:f32:12:as-bytes -arg zero:f32:4
kernel void sums(global const float3 *in, global float *out)
{
	float3 v = in[get_global_id(0)]; // find E-OOB
	out[get_global_id(0)] = v.x + v.y + v.z;
}
