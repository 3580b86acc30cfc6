// Three buffers. A step writes the one that nobody has touched for a barrier.
//! run -global 8 -local 8 -arg iota:i32:40 -arg zero:i32:8
kernel void stream(global const int *in, global int *out)
{
	local int buf[3][8];
	size_t l = get_local_id(0);
	int sum = 0;
	buf[0][l] = in[l];
	buf[1][l] = in[8 + l];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int t = 0; t < 5; t++) {
		sum += buf[t % 3][(l + 3) % 8];
		if (t + 2 < 5)
			buf[(t + 2) % 3][l] = in[8 * (t + 2) + l];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[l] = sum;
}
