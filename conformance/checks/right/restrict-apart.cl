// One buffer for two restrict parameters, whose elements do not meet (C99 6.7.3.1, example 2).
//! run -buffer b=iota:i32:8 -global 4 -local 4 -arg buffer:b -arg buffer:b
kernel void copy(global const int *restrict in, global int *restrict out)
{
	out[4 + get_global_id(0)] = in[get_global_id(0)];
}
