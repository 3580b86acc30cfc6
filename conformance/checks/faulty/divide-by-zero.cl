// The number of elements of a bin may be 0.
//! run -global 4 -local 4 -arg buf:i32:1,0,3,4 -arg zero:i32:4
kernel void mean(global const int *n, global int *out)
{
	out[get_global_id(0)] = 100 / n[get_global_id(0)]; // find E-DIV0
}
