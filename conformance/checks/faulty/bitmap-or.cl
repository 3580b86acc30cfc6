// Sets one bit each, with |= on bytes that eight work-items share.
//! run -global 32 -local 16 -arg iota:i32:32 -arg zero:u8:4
kernel void mark(global const int *in, global uchar *bits)
{
	size_t i = get_global_id(0);
	if (in[i] % 3 == 0)
		bits[i / 8] |= 1 << (i % 8); // find E-RACE
}
