kernel void polynomial(global const int *x, constant int *c, int n, global int *y)
{
	size_t i = get_global_id(0);
	int sum = c[n - 1];
	for (int k = n - 2; k >= 0; k--)
		sum = sum * x[i] + c[k];
	y[i] = sum;
}
