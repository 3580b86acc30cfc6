// What a loop carries from trip to trip is declared outside of it; pointers to what is inside stay inside.
//! run -global 2 -local 2 -arg zero:i32:2
int sum(const int *p, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += p[i];
	return s;
}
int *larger(int *a, int *b) { return *a > *b ? a : b; }
kernel void carry(global int *out)
{
	int last[4] = {0}, total;
	for (int i = 0; i < 4; i++) {
		int x[4], n;
		for (n = 0; n <= i; n++)
			x[n] = last[n] + n;
		if (i == 0)
			total = 0;
		int y = sum(x, n), z = i;
		total += *larger(&y, &z);
		if (i == 2)
			continue;
		for (int k = 0; k < n; k++)
			last[k] = x[k];
	}
	out[get_global_id(0)] = total;
}
