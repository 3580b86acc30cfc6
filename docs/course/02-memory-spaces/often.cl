// Two ways to add up a number of each row for each work-item.
kernel void often(global const int *in, int rows, global int *out)
{
	size_t i = get_global_id(0), n = get_global_size(0);
	out[i] = 0;
	for (int k = 0; k < rows; k++)
		out[i] = out[i] + in[k * n + i];
}

kernel void once(global const int *in, int rows, global int *out)
{
	size_t i = get_global_id(0), n = get_global_size(0);
	int sum = 0;
	for (int k = 0; k < rows; k++)
		sum = sum + in[k * n + i];
	out[i] = sum;
}
