// Conversions with _sat, out of range and of not a number.
//! run -global 4 -local 4 -arg buf:f32:1e30,-1e30,300,nan -arg zero:i32:4
kernel void convert(global const float *in, global int *out)
{
	float x = in[get_global_id(0)];
	out[get_global_id(0)] = convert_int_sat(x) ^ convert_uchar_sat(x);
}
