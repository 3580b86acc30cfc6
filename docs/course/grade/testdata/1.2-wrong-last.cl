kernel void increment(global int *data, int n)
{
	int i = get_global_id(0);
	if (i < n - 1)
		data[i] = data[i] + 1;
}
