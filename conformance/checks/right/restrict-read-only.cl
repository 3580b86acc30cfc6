// Two restrict parameters of one buffer that nobody writes: that is allowed (C99 6.7.3.1).
//! run -buffer b=iota:i32:8 -global 8 -local 8 -arg buffer:b -arg buffer:b -arg zero:i32:8
kernel void add(global const int *restrict a, global const int *restrict b, global int *restrict out)
{
	out[get_global_id(0)] = a[get_global_id(0)] + b[7 - get_global_id(0)];
}
