// Writes float4 values where the elements are three floats apart.
//! run -global 4 -local 4 -arg zero:f32:16
kernel void normals(global float *out)
{
	size_t i = get_global_id(0);
	vstore4((float4)(0, 0, 1, 0), 0, out + 3 * i); // find E-RACE
}
