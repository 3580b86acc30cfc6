// Which group am I in, and which place do I have there?
kernel void numbers(global int *groups, global int *places)
{
	size_t i = get_global_id(0);
	groups[i] = get_group_id(0);
	places[i] = get_local_id(0);
}
