// OpenCL C takes a shift amount modulo the width (C, Shift Operators), so that this is defined.
//! run -global 4 -local 4 -arg buf:u32:0,31,32,40 -arg zero:u32:4
kernel void shift(global const uint *by, global uint *out)
{
	out[get_global_id(0)] = 1u << by[get_global_id(0)];
}
