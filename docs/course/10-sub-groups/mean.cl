// Exercise 10.1: any size of sub-groups
//
// Each work-item writes by how much its element is above the mean of its group, which is the sum
// divided by the size of the group, as ints are divided. The kernel adds up by sub-groups. It
// counts on sub-groups of 32 work-items. Make it right for every size. part has room for one
// word for each work-item of the group.

kernel void mean(global const int *in, global int *out, local int *part)
{
	int place = get_local_id(0), size = get_local_size(0);
	int x = in[get_global_id(0)];
	int sum = sub_group_reduce_add(x);
	if (place % 32 == 0)
		part[place / 32] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	int all = 0;
	for (int s = 0; s < (size + 31) / 32; s++)
		all += part[s];
	out[get_global_id(0)] = x - all / size;
}
