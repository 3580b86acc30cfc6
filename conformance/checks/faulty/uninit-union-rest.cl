// One byte of a union is set, and the whole word is used.
//! run -global 4 -local 4 -arg iota:u8:4 -arg zero:u32:4
typedef union { uint word; uchar byte[4]; } mix;
kernel void widen(global const uchar *in, global uint *out)
{
	mix m;
	m.byte[0] = in[get_global_id(0)];
	out[get_global_id(0)] = m.word; // find E-UNINIT
}
