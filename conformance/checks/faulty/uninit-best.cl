// The least element is compared with a best that nobody has set.
//! run -global 2 -local 2 -arg iota:f32:8 -arg zero:f32:2
kernel void least(global const float *in, global float *out)
{
	float best;
	for (int i = 0; i < 4; i++) {
		float x = in[4 * get_global_id(0) + i];
		if (x < best) // find E-UNINIT
			best = x;
	}
	out[get_global_id(0)] = best; // find E-UNINIT
}
