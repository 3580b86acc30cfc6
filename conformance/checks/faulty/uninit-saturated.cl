// The sum does not saturate, so that the undefined bit is in it.
//! run -global 2 -local 2 -arg zero:u32:2
kernel void keep(global uint *out)
{
	uint x;
	x = (x & 1) | 0xf0;
	out[get_global_id(0)] = add_sat(x, 0x100u); // find E-UNINIT
}
