// A function of the sub-group in a branch that the whole sub-group takes.
//! run -global 64 -local 64 -arg iota:i32:64 -arg zero:i32:64
//! varies
kernel void every_other(global const int *in, global int *out)
{
	size_t l = get_local_id(0);
	if (get_sub_group_id() % 2 == 0)
		out[l] = sub_group_reduce_max(in[l]);
}
