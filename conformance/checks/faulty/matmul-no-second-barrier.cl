// The product of two 16×16 matrices by tiles of 8: the next tiles are loaded while others still
// read the present ones, for want of the second barrier in the loop.
//! run -global 16,16 -local 8,8 -arg iota:f32:256 -arg iota:f32:256 -arg zero:f32:256
kernel void matmul(global const float *a, global const float *b, global float *c)
{
	local float at[8][8], bt[8][8];
	size_t x = get_local_id(0), y = get_local_id(1), i = get_global_id(1), j = get_global_id(0);
	float sum = 0;
	for (size_t t = 0; t < 16; t += 8) {
		at[y][x] = a[i * 16 + t + x]; // find E-RACE
		bt[y][x] = b[(t + y) * 16 + j]; // find E-RACE
		barrier(CLK_LOCAL_MEM_FENCE);
		for (size_t k = 0; k < 8; k++)
			sum += at[y][k] * bt[k][x]; // find E-RACE
	}
	c[i * 16 + j] = sum;
}
