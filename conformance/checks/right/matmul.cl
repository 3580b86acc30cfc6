// Tiles with a barrier behind the loads and another one behind the uses.
//! run -global 16,16 -local 8,8 -arg iota:f32:256 -arg iota:f32:256 -arg zero:f32:256
kernel void matmul(global const float *a, global const float *b, global float *c)
{
	local float at[8][8], bt[8][8];
	size_t x = get_local_id(0), y = get_local_id(1), i = get_global_id(1), j = get_global_id(0);
	float sum = 0;
	for (size_t t = 0; t < 16; t += 8) {
		at[y][x] = a[i * 16 + t + x];
		bt[y][x] = b[(t + y) * 16 + j];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (size_t k = 0; k < 8; k++)
			sum += at[y][k] * bt[k][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[i * 16 + j] = sum;
}
