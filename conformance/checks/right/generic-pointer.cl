// The same function gets pointers to global, local and private memory.
//! run -global 8 -local 8 -arg zero:i32:8
void bump(int *p) { *p += 1; }
kernel void bumps(global int *out)
{
	local int s[8];
	size_t l = get_local_id(0);
	int mine = 3;
	s[l] = 5;
	bump(&mine);
	bump(&s[l]);
	bump(&out[l]);
	out[l] += mine + s[l];
}
