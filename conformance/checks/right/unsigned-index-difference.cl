// A difference of unsigned numbers that wraps, and wraps back when it is added.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void neighbours(global const int *in, global int *out)
{
	uint i = get_global_id(0), step = i ? (uint)-1 : 0u;
	out[i] = in[(uint)(i + step)];
}
