// The last element of an output is left out, and the host reads it.
//! run -global 7 -arg undef:i32:8 -arg zero:i32:8 -out 0=- -out 1=-
// find E-UNINIT
kernel void most(global int *out, global int *other)
{
	out[get_global_id(0)] = other[get_global_id(0)] = 1;
}
