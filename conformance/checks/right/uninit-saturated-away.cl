// The undefined low bits never reach what is stored: the sum saturates, half of it loses them, and so does the quotient.
//! run -global 2 -local 2 -arg zero:u32:6
kernel void away(global uint *out)
{
	uint x;
	x = (x & 1) | 0xfffffff0;
	size_t g = get_global_id(0);
	out[g * 3] = add_sat(x, 0x100u);
	uint y;
	y = (y & 1) | 4;
	out[g * 3 + 1] = hadd(y & 4, 2u);
	int z;
	z = (z & 1) | 4;
	out[g * 3 + 2] = (uint)(z / 2);
}
