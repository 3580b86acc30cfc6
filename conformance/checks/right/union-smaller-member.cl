// A union is written through one member and read through another one of the same size, which OpenCL
// C allows (C, Reinterpreting Data as Another Type).
//! run -global 4 -local 4 -arg iota:f32:4 -arg zero:u32:4
typedef union { float f; uint u; uchar b[4]; } bits;
kernel void exponent(global const float *in, global uint *out)
{
	bits x;
	x.f = in[get_global_id(0)];
	out[get_global_id(0)] = (x.u >> 23) + x.b[3];
}
