// Double buffering that waits for the copy it has just begun, instead of for the one before.
//! run -global 8 -local 8 -arg iota:i32:32 -arg zero:i32:8
//! also E-UNINIT
//! also E-ASYNCWRITE
//! also E-ASYNCOVERLAP
//! also E-ASYNCNOWAIT
//! also E-ASYNCRACE
kernel void stream(global const int *in, global int *out)
{
	local int buf[2][8];
	event_t e[2];
	int sum = 0;
	e[0] = async_work_group_copy(buf[0], in, 8, 0);
	for (int i = 0; i < 4; i++) {
		if (i < 3) {
			e[(i + 1) % 2] = async_work_group_copy(buf[(i + 1) % 2], in + 8 * (i + 1), 8, 0);
			wait_group_events(1, &e[(i + 1) % 2]);
		}
		sum += buf[i % 2][get_local_id(0)]; // find E-ASYNCREAD
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_local_id(0)] = sum;
}
