// The tile is filled again behind a barrier that follows the last reads.
//! run -global 8 -local 8 -arg iota:i32:24 -arg zero:i32:8
kernel void sums(global const int *in, global int *out)
{
	local int tile[8];
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		event_t e = async_work_group_copy(tile, in + 8 * i, 8, 0);
		wait_group_events(1, &e);
		sum += tile[(get_local_id(0) + 1) % 8];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_local_id(0)] = sum;
}
