// Bits 0 to 3 of a word are set from uninitialised ones by a mask that leaves bit 8 in.
//! run -global 4 -local 4 -arg iota:u32:4 -arg zero:u32:4
kernel void mask(global const uint *in, global uint *out)
{
	uint x;
	uint y = (x & ~0xffu) | in[get_global_id(0)];
	out[get_global_id(0)] = y & 0x1ff; // find E-UNINIT
}
