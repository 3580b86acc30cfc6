kernel void pairs(global const int *in, global int *sums)
{
	if (get_local_id(0) == 0) {
		int sum = 0;
		for (int k = 0; k < 256; k++)
			sum += in[get_global_id(0) + k];
		sums[get_group_id(0)] = sum;
	}
}
