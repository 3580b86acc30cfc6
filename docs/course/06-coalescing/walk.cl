// Each work-item adds up count elements. Which ones?
kernel void own(global const int *in, global int *sums, int count)
{
	size_t i = get_global_id(0);
	int sum = 0;
	for (int k = 0; k < count; k++)
		sum += in[i * count + k];
	sums[i] = sum;
}

kernel void together(global const int *in, global int *sums, int count)
{
	size_t i = get_global_id(0), n = get_global_size(0);
	int sum = 0;
	for (int k = 0; k < count; k++)
		sum += in[k * n + i];
	sums[i] = sum;
}
