// One work-item of each group reads all of it.
kernel void first_negative(global const int *in, global int *first)
{
	if (get_local_id(0) != 0)
		return;
	int found = -1;
	for (int k = 31; k >= 0; k--)
		if (in[get_global_id(0) + k] < 0)
			found = get_global_id(0) + k;
	first[get_group_id(0)] = found;
}
