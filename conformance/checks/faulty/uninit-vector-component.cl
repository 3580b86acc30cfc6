// The component w of a vector is used, x, y and z are set.
//! run -global 4 -local 4 -arg zero:f32:4
kernel void lengths(global float *out)
{
	float4 v;
	v.xyz = (float3)(get_global_id(0), 1, 2);
	out[get_global_id(0)] = v.x + v.w; // find E-UNINIT
}
