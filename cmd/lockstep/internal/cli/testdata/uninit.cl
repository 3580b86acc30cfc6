kernel void sum(global const int *x, global int *out, int n)
{
	int total;
	for (int i = 0; i < n; i++)
		total += x[i];
	out[get_global_id(0)] = total;
}

kernel void tile(global const int *x, global int *out)
{
	local int t[8];
	int l = get_local_id(0);
	if (l < 3)
		t[l] = x[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t[l] > 1)
		out[get_global_id(0)] = l;
}

struct s {
	char c;
	int i;
};

kernel void padding(global struct s *out)
{
	struct s s;
	s.c = 1;
	s.i = 2;
	out[get_global_id(0)] = s;
}
