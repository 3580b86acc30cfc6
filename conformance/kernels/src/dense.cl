// Dense linear algebra: a product of matrices in tiles of registers, one of a matrix and a vector,
// and small systems of equations.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// A work-group of 16 by 16 computes 64 by 64 elements.
kernel void gemm_regs(global const float *a, global const float *b, global float *c, int n)
{
	local float as[16][64], bs[16][64];
	int lx = get_local_id(0), ly = get_local_id(1), l = 16 * ly + lx;
	int row = 64 * get_group_id(1), col = 64 * get_group_id(0);
	float acc[4][4];
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			acc[i][j] = 0.0f;
	for (int k = 0; k < n; k += 16) {
		for (int i = l; i < 1024; i += 256) {
			as[i % 16][i / 16] = a[(row + i / 16) * n + k + i % 16];
			bs[i / 64][i % 64] = b[(k + i / 64) * n + col + i % 64];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int t = 0; t < 16; t++) {
			float x[4], y[4];
			for (int i = 0; i < 4; i++) {
				x[i] = as[t][4 * ly + i];
				y[i] = bs[t][4 * lx + i];
			}
			for (int i = 0; i < 4; i++)
				for (int j = 0; j < 4; j++)
					acc[i][j] += x[i] * y[j];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			c[(row + 4 * ly + i) * n + col + 4 * lx + j] = acc[i][j];
}

// A work-group of 64 for a row of 4 * n elements.
kernel void gemv(global const float4 *a, global const float4 *x, global float *y, uint n)
{
	local float part[64];
	uint l = get_local_id(0), row = get_group_id(0);
	float sum = 0.0f;
	for (uint i = l; i < n; i += get_local_size(0))
		sum += dot(a[row * n + i], x[i]);
	part[l] = sum;
	for (uint half_size = 32; half_size > 0; half_size /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < half_size)
			part[l] += part[l + half_size];
	}
	if (l == 0)
		y[row] = part[0];
}

#define SIZE 6

// The Cholesky factors of symmetric matrices, and the solutions of their equations.
kernel void cholesky6(global const double *a, global const double *b, global double *x)
{
	size_t id = get_global_id(0);
	double m[SIZE][SIZE], r[SIZE];
	for (int i = 0; i < SIZE; i++) {
		for (int j = 0; j <= i; j++)
			m[i][j] = a[SIZE * SIZE * id + SIZE * i + j];
		m[i][i] += 8.0;
	}
	for (int j = 0; j < SIZE; j++) {
		double d = m[j][j];
		for (int k = 0; k < j; k++)
			d -= m[j][k] * m[j][k];
		d = sqrt(d);
		m[j][j] = d;
		for (int i = j + 1; i < SIZE; i++) {
			double s = m[i][j];
			for (int k = 0; k < j; k++)
				s -= m[i][k] * m[j][k];
			m[i][j] = s / d;
		}
	}
	for (int i = 0; i < SIZE; i++) {
		double s = b[SIZE * id + i];
		for (int k = 0; k < i; k++)
			s -= m[i][k] * r[k];
		r[i] = s / m[i][i];
	}
	for (int i = SIZE - 1; i >= 0; i--) {
		double s = r[i];
		for (int k = i + 1; k < SIZE; k++)
			s -= m[k][i] * r[k];
		r[i] = s / m[i][i];
		x[SIZE * id + i] = r[i];
	}
}
