// A cast to a wider type at a place that is aligned for it.
//! run -global 2 -local 2 -arg iota:u8:32 -arg zero:i32:2
kernel void parse(global const uchar *in, global int *out)
{
	out[get_global_id(0)] = *(global const int *)(in + 8 * get_global_id(0) + 4);
}
