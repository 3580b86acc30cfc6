// Work-items whose barrier does not name local memory touch none of it.
// (C wants the same flags of all fences of a group; of barriers it does not say so.)
//! run -global 8 -local 8 -arg buf:u32:1,1,1,1,2,2,2,2 -arg zero:i32:8
kernel void rotate(global const uint *flags, global int *out)
{
	local int x[4];
	size_t l = get_local_id(0);
	if (l < 4)
		x[l] = (int)l;
	barrier(flags[l]);
	if (l < 4)
		out[l] = x[(l + 1) % 4];
}
