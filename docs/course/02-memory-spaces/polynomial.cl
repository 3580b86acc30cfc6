// Exercise 2.1: a variable of the work-item
//
// The kernel is to compute the polynomial c[0] + c[1]*x + c[2]*x*x + ... for the x of each
// work-item. There are n coefficients, in constant memory. The sum is a private variable; what
// does it hold at first?

kernel void polynomial(global const int *x, constant int *c, int n, global int *y)
{
	size_t i = get_global_id(0);
	int sum;
	for (int k = n - 1; k >= 0; k--)
		sum = sum * x[i] + c[k];
	y[i] = sum;
}
