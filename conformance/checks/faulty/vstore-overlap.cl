// vstore3 with a pointer that advances by two elements: the third of one is the first of the next.
//! run -global 4 -local 4 -arg zero:f32:16
kernel void points(global float *out)
{
	size_t i = get_global_id(0);
	vstore3((float3)(i, i, i), 0, out + 2 * i); // find E-RACE
}
