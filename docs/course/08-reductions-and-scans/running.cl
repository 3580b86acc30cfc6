// Exercise 8.2: a running maximum
//
// out[i] is to become the largest element of the group up to and including element i. The kernel
// looks back 1, 2, 4, ... places. It is right where a group is one sub-group, by luck.

kernel void running(global const int *in, global int *out, local int *part)
{
	int place = get_local_id(0), size = get_local_size(0);
	part[place] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int s = 1; s < size; s *= 2) {
		if (place >= s)
			part[place] = max(part[place], part[place - s]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = part[place];
}
