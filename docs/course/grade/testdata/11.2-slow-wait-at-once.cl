uint work(uint x)
{
	for (int k = 0; k < 8; k++)
		x = (x ^ (x >> 5)) * 2654435761u;
	return x;
}

// Two buffers, but each copy is waited for at once.
kernel void stream(global const uint *in, global uint *out, int pieces)
{
	local uint tile[2][64];
	int place = get_local_id(0);
	uint all = 0;
	for (int k = 0; k < pieces; k++) {
		event_t copy = async_work_group_copy(tile[k % 2], in + 64 * k, 64, 0);
		wait_group_events(1, &copy);
		all ^= work(tile[k % 2][place]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[place] = all;
}
