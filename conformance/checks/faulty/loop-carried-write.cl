// Each work-item writes four elements, from its id on, instead of from four times its id.
//! run -global 8 -local 8 -arg zero:i32:32
kernel void fill(global int *out)
{
	for (int k = 0; k < 4; k++)
		out[get_global_id(0) + k] = k; // find E-RACE
}
