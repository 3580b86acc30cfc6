// The barrier is two calls deep.
//! run -global 8 -local 8 -arg zero:i32:8
void sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }
void put(local int *s, int x)
{
	s[get_local_id(0)] = x;
	sync();
}
kernel void neighbours(global int *out)
{
	local int s[8];
	size_t l = get_local_id(0);
	put(s, 5 * (int)l);
	out[l] = s[(l + 1) % 8];
}
