// The flags of the barrier come from an argument, and name the other kind of memory.
//! run -global 8 -local 8 -arg u32:2 -arg zero:i32:8
kernel void rotate(uint flags, global int *out)
{
	local int x[8];
	size_t l = get_local_id(0);
	x[l] = (int)l; // find E-RACE
	barrier(flags);
	out[l] = x[(l + 1) % 8]; // find E-RACE
}
