// One loop, which ends a step too early.
kernel void triangle(global const int *triangle, global int *sums)
{
	int i = get_global_id(0), n = 2 * get_global_size(0), j = n - 1 - i;
	int a = 0, b = 0;
	for (int k = 0; k < n; k++) {
		int at = k <= i ? i * (i + 1) / 2 + k : j * (j + 1) / 2 + k - (i + 1);
		int x = triangle[at];
		a += k <= i ? x : 0;
		b += k <= i ? 0 : x;
	}
	sums[i] = a;
	sums[j] = b;
}
