// An optional buffer is null, and the kernel does not ask.
//! run -global 4 -local 4 -arg null -arg zero:i32:4
kernel void add(global const int *bias, global int *out)
{
	out[get_global_id(0)] = bias[get_global_id(0)]; // find E-NULL
}
