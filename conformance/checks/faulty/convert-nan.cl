// Not a number as an index.
//! run -global 2 -local 2 -arg buf:f32:1,0 -arg zero:i32:2
kernel void bin(global const float *in, global int *out)
{
	size_t g = get_global_id(0);
	out[g] = (int)(in[g] / in[g]); // find E-CONVERT
}
