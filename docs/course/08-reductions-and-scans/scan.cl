// Prefix sums of each work-group: out[i] is the sum of the group's elements up to i.
kernel void scan(global const int *in, global int *out, local int *part)
{
	int place = get_local_id(0), size = get_local_size(0);
	int sum = in[get_global_id(0)];
	for (int s = 1; s < size; s *= 2) {
		part[place] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (place >= s)
			sum += part[place - s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = sum;
}
