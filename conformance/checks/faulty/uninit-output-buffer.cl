// A buffer that the host has never written is updated instead of written.
//! run -global 4 -local 4 -arg undef:i32:4
kernel void add(global int *out)
{
	out[get_global_id(0)] += 1; // find E-UNINIT
}
