kernel void scratch(global const int *numbers, global int *sums, local uchar *digits)
{
	size_t i = get_global_id(0);
	local uchar *mine = digits;
	int n = numbers[i];
	for (int k = 0; k < 4; k++) {
		mine[k] = n % 10;
		n /= 10;
	}
	sums[i] = mine[0] + mine[1] + mine[2] + mine[3];
}
