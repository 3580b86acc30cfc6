kernel void transpose(global const int *in, global int *out, int n)
{
	size_t x = get_global_id(0), y = get_global_id(1);
	out[y * n + x] = in[x * n + y];
}
