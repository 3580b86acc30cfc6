// Counts the place in the tile from the beginning of the buffer.
kernel void records(global const int *in, int length, global int *sums, local int *tile)
{
	size_t place = get_local_id(0), size = get_local_size(0), first = get_group_id(0) * size * length;
	for (int k = 0; k < length; k++)
		tile[first + size * k + place] = in[first + size * k + place];
	barrier(CLK_LOCAL_MEM_FENCE);
	int sum = 0;
	for (int k = 0; k < length; k++)
		sum += tile[length * place + k];
	sums[get_global_id(0)] = sum;
}
