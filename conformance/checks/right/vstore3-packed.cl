// Packed triples by vstore3: neighbours touch, and do not overlap.
//! run -global 4 -local 4 -arg zero:f32:12
kernel void points(global float *out)
{
	size_t i = get_global_id(0);
	vstore3((float3)(i, 2 * i, 3 * i), i, out);
}
