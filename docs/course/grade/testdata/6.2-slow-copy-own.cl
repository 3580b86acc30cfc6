// Local memory, but each lane copies its own record.
kernel void records(global const int *in, int length, global int *sums, local int *tile)
{
	size_t place = get_local_id(0), i = get_global_id(0);
	for (int k = 0; k < length; k++)
		tile[length * place + k] = in[length * i + k];
	int sum = 0;
	for (int k = 0; k < length; k++)
		sum += tile[length * place + k];
	sums[i] = sum;
}
