kernel void mean(global const int *in, global int *out, local int *part)
{
	int x = in[get_global_id(0)];
	int sum = sub_group_reduce_add(x);
	out[get_global_id(0)] = x - sum / (int)get_sub_group_size();
}
