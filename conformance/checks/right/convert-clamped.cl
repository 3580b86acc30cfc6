// The value is clamped before it is converted.
//! run -global 2 -local 2 -arg buf:f32:0.5,1.2 -arg zero:u8:2
kernel void brighten(global const float *in, global uchar *out)
{
	out[get_global_id(0)] = convert_uchar_rte(clamp(255 * in[get_global_id(0)], 0.0f, 255.0f));
}
