// Two buffers save one of the two barriers of a step, not both: without any in the loop, a fast
// work-item fills the buffer that a slow one still reads.
//! run -global 16 -local 16 -arg iota:i32:64 -arg zero:i32:16
kernel void stream(global const int *in, global int *out)
{
	local int buf[2][16];
	size_t l = get_local_id(0);
	int sum = 0;
	buf[0][l] = in[l];
	buf[1][l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = 0; step < 4; step++) {
		if (step < 3)
			buf[(step + 1) % 2][l] = in[(step + 1) * 16 + l]; // find E-RACE
		sum += buf[step % 2][15 - l]; // find E-RACE
	}
	out[l] = sum;
}
