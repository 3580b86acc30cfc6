// The flags of the barriers come from an argument, and name what has to be ordered.
//! run -global 8 -local 8 -arg u32:1 -arg zero:i32:8
kernel void rotate(uint flags, global int *out)
{
	local int x[8];
	size_t l = get_local_id(0);
	x[l] = (int)l;
	barrier(flags);
	int y = x[(l + 1) % 8];
	barrier(flags);
	x[l] = y;
	out[l] = x[l];
}
