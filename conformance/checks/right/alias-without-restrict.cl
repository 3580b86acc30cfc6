// Two parameters of one buffer without restrict: each work-item reads and writes its own element.
//! run -buffer b=iota:i32:8 -global 8 -local 8 -arg buffer:b -arg buffer:b
kernel void twice(global const int *in, global int *out)
{
	out[get_global_id(0)] = 2 * in[get_global_id(0)];
}
