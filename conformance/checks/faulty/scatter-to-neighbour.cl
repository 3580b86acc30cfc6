// Each work-item adds to its own element and to its neighbour's.
//! run -global 32 -local 8 -arg iota:f32:33
kernel void spread(global float *a)
{
	size_t i = get_global_id(0);
	float x = a[i] * 0.5f; // find E-RACE
	a[i] -= x; // find E-RACE
	a[i + 1] += x; // find E-RACE
}
