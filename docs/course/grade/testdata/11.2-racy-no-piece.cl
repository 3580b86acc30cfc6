uint work(uint x)
{
	for (int k = 0; k < 8; k++)
		x = (x ^ (x >> 5)) * 2654435761u;
	return x;
}

kernel void stream(global const uint *in, global uint *out, int pieces)
{
	local uint tile[2][64];
	int place = get_local_id(0);
	uint all = 0;
	event_t copy;
	copy = async_work_group_copy(tile[0], in, 64, 0);
	for (int k = 0; k < pieces; k++) {
		event_t next = 0;
		if (k + 1 < pieces)
			next = async_work_group_copy(tile[(k + 1) % 2], in + 64 * (k + 1), 64, 0);
		wait_group_events(1, &copy);
		all ^= work(tile[k % 2][place]);
		barrier(CLK_LOCAL_MEM_FENCE);
		copy = next;
	}
	out[place] = all;
}
