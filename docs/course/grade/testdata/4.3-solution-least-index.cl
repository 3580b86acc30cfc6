// The work-item before which nobody is negative writes.
kernel void first_negative(global const int *in, global int *first)
{
	local int negative[32];
	int place = get_local_id(0);
	negative[place] = in[get_global_id(0)] < 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	int before = 0, all = 0;
	for (int k = 0; k < 32; k++) {
		before += k < place && negative[k];
		all += negative[k];
	}
	if (negative[place] && before == 0)
		first[get_group_id(0)] = get_global_id(0);
	if (place == 0 && all == 0)
		first[get_group_id(0)] = -1;
}
