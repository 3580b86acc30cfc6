// An int is read from an odd place in a buffer of bytes.
//! run -global 2 -local 2 -arg iota:u8:16 -arg zero:i32:2
kernel void parse(global const uchar *in, global int *out)
{
	out[get_global_id(0)] = *(global const int *)(in + 1 + 4 * get_global_id(0)); // find E-ALIGN
}
