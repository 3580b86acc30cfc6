kernel void scratch(global const int *numbers, global int *sums, local uchar *digits)
{
	size_t i = get_global_id(0);
	local uchar *mine = digits + get_local_id(0);
	int n = numbers[i];
	for (int k = 0; k < 4; k++) {
		if (mine + k < digits + 4 * get_local_size(0))
			mine[k] = n % 10;
		n /= 10;
	}
	sums[i] = mine[0] + mine[1] + mine[2] + mine[3];
}
