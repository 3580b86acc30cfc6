// Different indices meet in the same element of a ring.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:12
kernel void ring(global const int *in, global int *out)
{
	out[get_global_id(0) % 12] = in[get_global_id(0)]; // find E-RACE
}
