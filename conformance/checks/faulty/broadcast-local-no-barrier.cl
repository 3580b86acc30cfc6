// Work-item 0 computes a value for all, which read it at once.
//! run -global 32 -local 16 -arg iota:f32:32 -arg zero:f32:32
//! also E-UNINIT
kernel void scale(global const float *in, global float *out)
{
	local float factor;
	if (get_local_id(0) == 0)
		factor = in[get_global_id(0)] + 1; // find E-RACE
	out[get_global_id(0)] = in[get_global_id(0)] * factor; // find E-RACE
}
