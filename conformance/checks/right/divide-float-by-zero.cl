// Floating-point division by zero is infinity.
//! run -global 2 -local 2 -arg buf:f32:0,2 -arg zero:f32:2
kernel void inverse(global const float *in, global float *out)
{
	out[get_global_id(0)] = 1 / in[get_global_id(0)];
}
