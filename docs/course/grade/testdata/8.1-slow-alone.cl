kernel void total(global const int *in, global int *sums, local int *part)
{
	if (get_local_id(0) == 0) {
		int sum = 0;
		for (size_t k = 0; k < get_local_size(0); k++)
			sum += in[get_global_id(0) + k];
		sums[get_group_id(0)] = sum;
	}
}
