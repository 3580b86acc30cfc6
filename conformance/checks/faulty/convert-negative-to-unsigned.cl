// A negative float as an unsigned number.
//! run -global 2 -local 2 -arg buf:f32:2,-2 -arg zero:u32:2
kernel void convert(global const float *in, global uint *out)
{
	out[get_global_id(0)] = convert_uint(in[get_global_id(0)]); // find E-CONVERT
}
