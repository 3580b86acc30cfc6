// The difference of pointers into two buffers.
//! run -global 1 -local 1 -arg iota:i32:4 -arg iota:i32:4 -arg zero:i64:1
kernel void distance_of(global const int *a, global const int *b, global long *out)
{
	*out = a - b; // find E-PTRDIFF
}
