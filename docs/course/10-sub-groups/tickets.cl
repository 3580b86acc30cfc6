// Each work-item with an odd element takes a ticket. One lane fetches those of its sub-group.
kernel void tickets(global const int *in, global int *next, global int *ticket)
{
	size_t i = get_global_id(0);
	int wants = in[i] % 2;
	int before = sub_group_scan_exclusive_add(wants);
	int all = sub_group_reduce_add(wants);
	int first = 0;
	if (get_sub_group_local_id() == 0)
		first = atomic_add(next, all);
	first = sub_group_broadcast(first, 0);
	ticket[i] = wants ? first + before : -1;
}
