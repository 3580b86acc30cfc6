// Two buffers and one barrier a step: the buffer that is filled was last read before the barrier.
//! run -global 16 -local 16 -arg iota:i32:64 -arg zero:i32:16
kernel void stream(global const int *in, global int *out)
{
	local int buf[2][16];
	size_t l = get_local_id(0);
	int sum = 0;
	buf[0][l] = in[l];
	for (int step = 0; step < 4; step++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (step < 3)
			buf[(step + 1) % 2][l] = in[(step + 1) * 16 + l];
		sum += buf[step % 2][15 - l];
	}
	out[l] = sum;
}
