// All kernels count the even numbers among their inputs.

// Work-items read, add and write: increments get lost.
kernel void lost(global const int *in, global int *count)
{
	if (in[get_global_id(0)] % 2 == 0)
		*count = *count + 1;
}

// An atomic operation reads, adds and writes in one step. All work-items meet at one address.
kernel void one(global const int *in, global int *count)
{
	if (in[get_global_id(0)] % 2 == 0)
		atomic_inc(count);
}

// Each sub-group adds up its count first. One of its work-items adds the sum to the result.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void few(global const int *in, global int *count)
{
	int sum = sub_group_reduce_add(in[get_global_id(0)] % 2 == 0 ? 1 : 0);
	if (get_sub_group_local_id() == 0)
		atomic_add(count, sum);
}
