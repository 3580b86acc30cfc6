// Both kernels add up a matrix of n rows and n columns. A work-item of rows adds a row, one of columns a column.
kernel void rows(global const float *matrix, global float *sums, int n)
{
	int row = get_global_id(0);
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += matrix[row * n + k];
	sums[row] = sum;
}

kernel void columns(global const float *matrix, global float *sums, int n)
{
	int column = get_global_id(0);
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += matrix[k * n + column];
	sums[column] = sum;
}
