// Sparse matrices: rows of bytes that sub-groups sum up, and columns of the ELLPACK format.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// A sub-group takes one row after another.
kernel void spmv_q8(global const int *start, global const ushort *column, global const char *entry,
	global const short *x, global int *y, int rows)
{
	int step = get_num_groups(0) * get_num_sub_groups();
	int lane = get_sub_group_local_id(), lanes = get_sub_group_size();
	for (int row = get_group_id(0) * get_num_sub_groups() + get_sub_group_id(); row < rows; row += step) {
		int sum = 0;
		for (int i = start[row] + lane; i < start[row + 1]; i += lanes)
			sum += entry[i] * x[column[i]];
		sum = sub_group_reduce_add(sum);
		if (lane == 0)
			y[row] = sum;
	}
}

// One step of PageRank: links are columns, a negative one ends a row early.
kernel void pagerank(global const int *links, global const float *rank, global const float *share, global float *next,
	int n, int width, float damping)
{
	int i = get_global_id(0);
	float sum = 0.0f;
	for (int k = 0; k < width; k++) {
		int from = links[k * n + i];
		if (from < 0)
			break;
		sum += rank[from] * share[from];
	}
	next[i] = (1.0f - damping) / n + damping * sum;
}
