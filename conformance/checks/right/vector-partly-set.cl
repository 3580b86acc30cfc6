// Only the components that were set are used.
//! run -global 4 -local 4 -arg zero:f32:4
kernel void lengths(global float *out)
{
	float4 v;
	v.xy = (float2)(get_global_id(0), 1);
	v.z = 5;
	out[get_global_id(0)] = v.x * v.z + v.y;
}
