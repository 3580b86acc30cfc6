// A scan "within a warp" through volatile local memory, without any synchronization.
//! run -global 32 -local 32 -arg iota:u32:32 -arg zero:u32:32
//! also E-UNINIT
kernel void scan(global const uint *in, global uint *out)
{
	local volatile uint s[64];
	uint i = get_local_id(0) % 8 + get_local_id(0) / 8 * 16;
	s[i] = 0; // find E-RACE
	s[i + 8] = in[get_local_id(0)]; // find E-RACE
	s[i + 8] += s[i + 8 - 1]; // find E-RACE
	s[i + 8] += s[i + 8 - 2]; // find E-RACE
	s[i + 8] += s[i + 8 - 4]; // find E-RACE
	out[get_local_id(0)] = s[i + 8];
}
