// A word made of its four bytes.
//! run -global 4 -local 4 -arg iota:u8:16 -arg zero:u32:4
typedef union { uint word; uchar byte[4]; } mix;
kernel void join(global const uchar *in, global uint *out)
{
	mix m;
	for (int i = 0; i < 4; i++)
		m.byte[i] = in[4 * get_global_id(0) + i];
	out[get_global_id(0)] = m.word;
}
