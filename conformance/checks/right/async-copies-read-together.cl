// All groups copy the same elements in, again and again, and each copies out to a place of its own.
//! run -global 32 -local 8 -arg iota:i32:16 -arg zero:i32:32
kernel void sum(global const int *in, global int *out)
{
	local int tile[8], sums[8];
	size_t l = get_local_id(0);
	int s = 0;
	for (int i = 0; i < 4; i++) {
		event_t e = async_work_group_copy(tile, in + i % 2 * 8, 8, 0);
		wait_group_events(1, &e);
		s += tile[7 - l];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	sums[l] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	event_t e = async_work_group_copy(out + get_group_id(0) * 8, sums, 8, 0);
	wait_group_events(1, &e);
}
