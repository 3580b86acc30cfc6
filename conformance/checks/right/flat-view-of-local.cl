// A local argument is used as rows by arithmetic: it has no rows that could be left.
//! run -global 8 -local 8 -arg local:64 -arg zero:i32:8
kernel void flat(local int *s, global int *out)
{
	int l = get_local_id(0);
	for (int y = 0; y < 2; y++)
		s[y * 8 + l] = y + l;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = s[l + 1] + s[8 + l - 1];
}
