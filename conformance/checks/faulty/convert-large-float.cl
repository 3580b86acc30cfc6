// A float beyond the range of int: what OpenCL C leaves to the implementation, SPIR-V leaves
// undefined (OpConvertFToS).
//! run -global 2 -local 2 -arg buf:f32:3.5,3e9 -arg zero:i32:2
kernel void convert(global const float *in, global int *out)
{
	out[get_global_id(0)] = (int)in[get_global_id(0)]; // find E-CONVERT
}
