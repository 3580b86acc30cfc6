// Functions of the work-group, reached by all.
//! run -global 16 -local 8 -arg iota:i32:16 -arg zero:i32:16
kernel void scan(global const int *in, global int *out)
{
	size_t g = get_global_id(0);
	int before = work_group_scan_exclusive_add(in[g]);
	int all = work_group_broadcast(before + in[g], get_local_size(0) - 1);
	out[g] = all - before;
}
