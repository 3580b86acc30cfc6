// The flags of the barrier come from memory, and it orders nothing for those who have 0 there.
// (They must also be the same for all: C, Synchronization Functions.)
//! run -global 8 -local 8 -arg buf:u32:1,0,0,0,0,0,0,0 -arg zero:i32:8
kernel void read_then_write(global const uint *flags, global int *out)
{
	local int x;
	size_t l = get_local_id(0);
	if (l == 0)
		x = 5;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = x; // find E-RACE
	barrier(flags[l]);
	if (l == 1)
		x = 0; // find E-RACE
}
