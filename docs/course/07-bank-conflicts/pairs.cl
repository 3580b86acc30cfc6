// Exercise 7.3: a sum in steps
//
// Each group of 256 work-items adds up 256 elements in local memory: in each step half as many
// partial sums are left. The start adds neighbours first, so that the words that are used stand
// further and further apart. Choose other partners, so that there are no bank conflicts.

kernel void pairs(global const int *in, global int *sums)
{
	local int part[256];
	int place = get_local_id(0);
	part[place] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int s = 1; s < 256; s *= 2) {
		int at = 2 * s * place;
		if (at < 256)
			part[at] += part[at + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (place == 0)
		sums[get_group_id(0)] = part[0];
}
