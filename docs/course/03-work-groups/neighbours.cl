// Exercise 3.2: a barrier for all
//
// out[i] is to become in[i] plus both of its neighbours; outside of the n elements there are
// zeros. A work-group first copies its part to tile, with one element more on each side: tile
// has two elements more than the group has work-items. The launch may have more work-items than
// elements.

kernel void neighbours(global const int *in, int n, global int *out, local int *tile)
{
	int i = get_global_id(0), place = get_local_id(0) + 1, size = get_local_size(0);
	if (i < n) {
		tile[place] = in[i];
		if (place == 1)
			tile[0] = i > 0 ? in[i - 1] : 0;
		if (place == size)
			tile[size + 1] = i + 1 < n ? in[i + 1] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		out[i] = tile[place - 1] + tile[place] + tile[place + 1];
	}
}
