// Exercise 11.2: compute while the next piece comes
//
// A single work-group of 64 work-items goes through pieces of 64 elements. For each piece it waits
// until the copy has come; nobody works meanwhile, and while all work, nothing moves. Let the next
// copy move while the group works: for half of the time at least in which copies move, somebody
// has to work.

uint work(uint x)
{
	for (int k = 0; k < 8; k++)
		x = (x ^ (x >> 5)) * 2654435761u;
	return x;
}

kernel void stream(global const uint *in, global uint *out, int pieces)
{
	local uint tile[64];
	int place = get_local_id(0);
	uint all = 0;
	for (int k = 0; k < pieces; k++) {
		event_t copy = async_work_group_copy(tile, in + 64 * k, 64, 0);
		wait_group_events(1, &copy);
		all ^= work(tile[place]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[place] = all;
}
