kernel void fill(global int *a, int v)
{
	int i = get_global_id(0);
	int scaled = v * i;
	a[i] = scaled + 1;
}

kernel void sum(global const int *a, global int *total, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += a[i];
	total[0] = s;
}
