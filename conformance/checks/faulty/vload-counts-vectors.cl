// vload4 counts in vectors; the index is one of elements.
//! run -global 4 -local 4 -arg iota:f32:16 -arg zero:f32:4
kernel void sums(global const float *in, global float *out)
{
	size_t i = get_global_id(0);
	float4 v = vload4(4 * i, in); // find E-OOB
	out[i] = v.x + v.y + v.z + v.w;
}
