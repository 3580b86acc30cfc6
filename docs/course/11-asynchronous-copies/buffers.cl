// A work-group of 64 goes through many pieces of 64 elements, with one buffer or with two.
uint work(uint x)
{
	for (int k = 0; k < 8; k++)
		x = x * 1664525 + 1013904223;
	return x;
}

kernel void single(global const uint *in, global uint *out, int pieces)
{
	local uint tile[64];
	int place = get_local_id(0);
	uint sum = 0;
	for (int k = 0; k < pieces; k++) {
		event_t copy = async_work_group_copy(tile, in + 64 * k, 64, 0);
		wait_group_events(1, &copy);
		sum += work(tile[place]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[place] = sum;
}

kernel void twice(global const uint *in, global uint *out, int pieces)
{
	local uint tile[2][64];
	int place = get_local_id(0);
	uint sum = 0;
	event_t copy = async_work_group_copy(tile[0], in, 64, 0);
	for (int k = 0; k < pieces; k++) {
		event_t next = 0;
		if (k + 1 < pieces)
			next = async_work_group_copy(tile[(k + 1) % 2], in + 64 * (k + 1), 64, 0);
		wait_group_events(1, &copy);
		sum += work(tile[k % 2][place]);
		barrier(CLK_LOCAL_MEM_FENCE);
		copy = next;
	}
	out[place] = sum;
}
