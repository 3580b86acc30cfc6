kernel void first_negative(global const int *in, global int *first)
{
	local int negative[32];
	int place = get_local_id(0);
	negative[place] = in[get_global_id(0)] < 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (place == 0) {
		int found = -1;
		for (int k = 31; k >= 0; k--)
			if (negative[k])
				found = get_global_id(0) + k;
		first[get_group_id(0)] = found;
	}
}
