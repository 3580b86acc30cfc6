kernel void columns(global const int *matrix, int rows, global int *sums)
{
	size_t i = get_global_id(0), n = get_global_size(0);
	int sum = 0;
	for (int k = 0; k < rows; k++)
		sum += matrix[k * n + i];
	sums[i] = sum;
}
