// Two restrict parameters get one buffer, and one of them is written.
//! run -buffer b=iota:i32:8 -global 4 -local 4 -arg buffer:b -arg buffer:b
kernel void add(global const int *restrict in, global int *restrict out)
{
	out[get_global_id(0)] = in[get_global_id(0)] + 1; // find E-RESTRICT
}
