// A reduction of the work-group that only a part of it runs.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
kernel void evens(global const int *in, global int *out)
{
	size_t l = get_local_id(0);
	if (in[l] % 2 == 0)
		out[l] = work_group_reduce_add(in[l]); // find E-GROUPDIVERGED
}
