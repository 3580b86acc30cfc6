// The fourth component of a float3 is undefined, and is loaded and stored with the others.
//! run -global 4 -local 4 -arg iota:f32:12 -arg zero:f32:12
kernel void scale(global const float *in, global float *out)
{
	float3 v = vload3(get_global_id(0), in);
	float3 twice[2];
	twice[0] = 2 * v;
	twice[1] = twice[0];
	vstore3(twice[1], get_global_id(0), out);
}
