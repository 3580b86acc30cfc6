// C = A * B for square matrices, in tiles that a work-group keeps in local
// memory. The work-group is TILE x TILE; n is a multiple of TILE.
// lines: yes
// addressing: 32
#pragma OPENCL FP_CONTRACT OFF
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul(global const float *a, global const float *b, global float *c, uint n)
{
	local float at[TILE][TILE];
	local float bt[TILE][TILE];
	uint lx = get_local_id(0), ly = get_local_id(1);
	uint x = get_global_id(0), y = get_global_id(1);
	float sum = 0.0f;
	for (uint t = 0; t < n; t += TILE) {
		at[ly][lx] = a[y * n + t + lx];
		bt[ly][lx] = b[(t + ly) * n + x];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < TILE; k++)
			sum += at[ly][k] * bt[k][lx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[y * n + x] = sum;
}
