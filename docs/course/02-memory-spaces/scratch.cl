// Exercise 2.3: local memory belongs to a group
//
// Each work-item writes the decimal digits of its number to 4 bytes of local memory, the last
// digit first, and adds them up from there. The local memory has 4 bytes for each work-item of a
// group. (One could do without it; here it stands for something larger.) It works for the first
// group, and for no other.

kernel void scratch(global const int *numbers, global int *sums, local uchar *digits)
{
	size_t i = get_global_id(0);
	local uchar *mine = digits + 4 * i;
	int n = numbers[i];
	for (int k = 0; k < 4; k++) {
		mine[k] = n % 10;
		n /= 10;
	}
	sums[i] = mine[0] + mine[1] + mine[2] + mine[3];
}
