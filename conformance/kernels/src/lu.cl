// Each work-item solves a small dense system in double precision by LU
// decomposition with partial pivoting, in private arrays with dynamic indices.
// lines: yes
// addressing: 32
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define N 6

kernel void lu(global const double *matrix, global const double *rhs, global double *solution,
               global int *permutation)
{
	size_t w = get_global_id(0);
	double a[N][N];
	double b[N];
	int p[N];
	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++)
			a[i][j] = matrix[(w * N + i) * N + j];
		b[i] = rhs[w * N + i];
		p[i] = i;
	}
	for (int k = 0; k < N; k++) {
		int pivot = k;
		for (int i = k + 1; i < N; i++)
			if (fabs(a[i][k]) > fabs(a[pivot][k]))
				pivot = i;
		if (pivot != k) {
			for (int j = 0; j < N; j++) {
				double t = a[k][j];
				a[k][j] = a[pivot][j];
				a[pivot][j] = t;
			}
			double t = b[k];
			b[k] = b[pivot];
			b[pivot] = t;
			int q = p[k];
			p[k] = p[pivot];
			p[pivot] = q;
		}
		if (a[k][k] == 0.0)
			continue;
		for (int i = k + 1; i < N; i++) {
			double f = a[i][k] / a[k][k];
			a[i][k] = f;
			for (int j = k + 1; j < N; j++)
				a[i][j] -= f * a[k][j];
			b[i] -= f * b[k];
		}
	}
	for (int i = N - 1; i >= 0; i--) {
		double s = b[i];
		for (int j = i + 1; j < N; j++)
			s -= a[i][j] * b[j];
		b[i] = s / a[i][i];
	}
	for (int i = 0; i < N; i++) {
		solution[w * N + i] = b[i];
		permutation[w * N + i] = p[i];
	}
}
