// The largest floats that fit, of either sign.
//! run -global 3 -local 3 -arg buf:f32:2147483520,-2147483648,-0.9 -arg zero:i32:3
kernel void convert(global const float *in, global int *out)
{
	out[get_global_id(0)] = (int)in[get_global_id(0)];
}
