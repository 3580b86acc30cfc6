kernel void steps(global const int *in, global int *out)
{
	size_t i = get_global_id(0);
	int x = in[i];
	int left = sub_group_shuffle_up(x, 1);
	if (get_sub_group_local_id() == 0)
		left = i == 0 ? 0 : in[i - 1];
	out[i] = x - left;
}
