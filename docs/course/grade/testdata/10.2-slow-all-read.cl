kernel void steps(global const int *in, global int *out)
{
	size_t i = get_global_id(0);
	out[i] = in[i] - (i == 0 ? 0 : in[i - 1]);
}
