// Work-items come in work-groups. Each knows the number of its group and its place in the group.
kernel void places(global int *out)
{
	int group = get_group_id(0);
	int place = get_local_id(0);
	out[get_global_id(0)] = 100 * group + place;
}
