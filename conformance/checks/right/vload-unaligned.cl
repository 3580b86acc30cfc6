// vload4 needs the alignment of an element only (C, Vector Data Load and Store Functions).
//! run -global 2 -local 2 -arg iota:f32:16 -arg zero:f32:2
kernel void load(global const float *in, global float *out)
{
	float4 v = vload4(0, in + 1 + 4 * get_global_id(0));
	out[get_global_id(0)] = v.x + v.w;
}
