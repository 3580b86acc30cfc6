// The next copy into the tile begins while slow work-items still read it.
//! run -global 8 -local 8 -arg iota:i32:24 -arg zero:i32:8
kernel void sums(global const int *in, global int *out)
{
	local int tile[8];
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		event_t e = async_work_group_copy(tile, in + 8 * i, 8, 0); // find E-ASYNCRACE
		wait_group_events(1, &e);
		sum += tile[(get_local_id(0) + 1) % 8]; // find E-ASYNCRACE
	}
	out[get_local_id(0)] = sum;
}
