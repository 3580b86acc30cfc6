kernel void pack(global const int *in, global int *out, global int *count)
{
	int x = in[get_global_id(0)];
	int wanted = x > 0 ? 1 : 0;
	int before = sub_group_scan_exclusive_add(wanted);
	int all = sub_group_reduce_add(wanted);
	int first = 0;
	if (get_sub_group_local_id() == 0)
		first = atomic_add(count, all);
	first = sub_group_broadcast(first, 0);
	if (wanted)
		out[first + before] = x;
}
