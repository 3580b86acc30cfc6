// Each round moves all elements of the group one place to the left. There is a barrier in each round.
kernel void rounds(global int *data, int count, local int *tile)
{
	size_t place = get_local_id(0), size = get_local_size(0);
	int mine = data[place];
	for (int k = 0; k < count; k++) {
		tile[place] = mine;
		barrier(CLK_LOCAL_MEM_FENCE);
		mine = tile[(place + 1) % size];
	}
	data[place] = mine;
}
