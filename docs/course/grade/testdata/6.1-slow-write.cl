// Only the reads coalesce, by way of private memory.
kernel void blocks(global const int *in, global int *out, int count)
{
	size_t i = get_global_id(0), n = get_global_size(0);
	for (int k = 0; k < count; k++) {
		int x = in[i * count + k];
		out[i * count + k] = x * x;
	}
}
