// Exercise 4.3: many writers, one place
//
// first[g] is to become the index of the first negative element of group g's part, counted from the
// beginning of the whole buffer, and -1 where the group has none. Groups have 32 work-items.
// Use no atomic operations.

kernel void first_negative(global const int *in, global int *first)
{
	size_t i = get_global_id(0), g = get_group_id(0);
	if (get_local_id(0) == 0)
		first[g] = -1;
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (in[i] < 0)
		first[g] = i;
}
