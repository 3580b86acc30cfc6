// Work-item i goes round i times.
kernel void loops(global int *out)
{
	int i = get_global_id(0), sum = 0;
	for (int k = 0; k < i; k++)
		sum += k * k;
	out[i] = sum;
}
