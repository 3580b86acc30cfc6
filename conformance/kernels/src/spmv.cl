// A sparse matrix in CSR form times a vector, a row a work-item: rows differ in
// length, so lanes leave the loop at different trips.
// lines: yes
#pragma OPENCL FP_CONTRACT OFF

kernel void spmv(global const uint *rowptr, global const uint *column, global const float *value,
                 global const float *x, global float *y)
{
	size_t r = get_global_id(0);
	float dot = 0.0f;
	for (uint k = rowptr[r]; k < rowptr[r + 1]; k++)
		dot += value[k] * x[column[k]];
	y[r] = dot;
}
