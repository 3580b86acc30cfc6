// The barrier orders the reads of all work-items but the third, whose flags name global memory only.
//! run -global 8 -local 8 -arg buf:u32:1,1,2,1,1,1,1,1 -arg zero:i32:8
kernel void read_then_write(global const uint *flags, global int *out)
{
	local int x;
	size_t l = get_local_id(0);
	if (l == 0)
		x = 5;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = x; // find E-RACE
	barrier(flags[l]);
	if (l == 3)
		x = 0; // find E-RACE
}
