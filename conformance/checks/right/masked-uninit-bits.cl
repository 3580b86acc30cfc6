// Uninitialised bits are masked out before anything depends on them.
//! run -global 4 -local 4 -arg iota:u32:4 -arg zero:u32:4
kernel void mask(global const uint *in, global uint *out)
{
	uint x;
	uint y = (x << 8) | in[get_global_id(0)];
	out[get_global_id(0)] = y & 0xff;
}
