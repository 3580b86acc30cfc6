// Lloyd's algorithm for k-means in one work-group: assignment of points to the
// nearest centre, then new centres, each summed by one work-item in the order
// of the points so that the rounding is the same at every run.
#pragma OPENCL FP_CONTRACT OFF
#define DIMS 3

kernel void kmeans(global const float *points, global float *centres, global int *label,
                   uint n, uint k, uint rounds)
{
	uint l = get_local_id(0), size = get_local_size(0);
	for (uint c = l; c < k; c += size)
		for (uint d = 0; d < DIMS; d++)
			centres[c * DIMS + d] = points[c * DIMS + d];
	barrier(CLK_GLOBAL_MEM_FENCE);
	for (uint round = 0; round < rounds; round++) {
		for (uint i = l; i < n; i += size) {
			float best = INFINITY;
			int at = -1;
			for (uint c = 0; c < k; c++) {
				float dist = 0.0f;
				for (uint d = 0; d < DIMS; d++) {
					float t = points[i * DIMS + d] - centres[c * DIMS + d];
					dist += t * t;
				}
				if (dist < best) {
					best = dist;
					at = c;
				}
			}
			label[i] = at;
		}
		barrier(CLK_GLOBAL_MEM_FENCE);
		for (uint j = l; j < k * DIMS; j += size) {
			uint c = j / DIMS, d = j % DIMS;
			float sum = 0.0f;
			uint count = 0;
			for (uint i = 0; i < n; i++)
				if (label[i] == (int)c) {
					sum += points[i * DIMS + d];
					count++;
				}
			if (count)
				centres[j] = sum / (float)count;
		}
		barrier(CLK_GLOBAL_MEM_FENCE);
	}
}
