// The right pairs, in two loops.
int row_sum(global const int *triangle, int r)
{
	int sum = 0;
	for (int k = 0; k <= r; k++)
		sum += triangle[r * (r + 1) / 2 + k];
	return sum;
}

kernel void triangle(global const int *triangle, global int *sums)
{
	int i = get_global_id(0), n = 2 * get_global_size(0);
	sums[i] = row_sum(triangle, i);
	sums[n - 1 - i] = row_sum(triangle, n - 1 - i);
}
