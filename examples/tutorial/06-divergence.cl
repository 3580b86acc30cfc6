// Half of the work-items take a long way, the other half a short one. In neighbours they alternate, in halves the
// first half of the work-items takes the long way.
static uint work(uint i, int longway)
{
	uint x = i;
	if (longway) {
		for (int k = 0; k < 100; k++)
			x = x * 1664525 + 1013904223;
	} else {
		x = -x;
	}
	return x;
}

kernel void neighbours(global int *out)
{
	int i = get_global_id(0);
	out[i] = work(i, i % 2 == 0);
}

kernel void halves(global int *out)
{
	int i = get_global_id(0);
	out[i] = work(i, i < get_global_size(0) / 2);
}
