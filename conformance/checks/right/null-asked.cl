// An optional buffer that the kernel asks for.
//! run -global 4 -local 4 -arg null -arg zero:i32:4
kernel void add(global const int *bias, global int *out)
{
	out[get_global_id(0)] = bias ? bias[get_global_id(0)] : 3;
}
