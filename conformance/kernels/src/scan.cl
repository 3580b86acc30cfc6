// Prefix sums within a work-group: inclusive in log n steps over two buffers,
// exclusive by an up-sweep and a down-sweep.

kernel void scan_inclusive(global const uint *in, global uint *out, local uint *scratch)
{
	uint l = get_local_id(0), n = get_local_size(0);
	local uint *from = scratch;
	local uint *to = scratch + n;
	from[l] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint d = 1; d < n; d <<= 1) {
		to[l] = l >= d ? from[l] + from[l - d] : from[l];
		barrier(CLK_LOCAL_MEM_FENCE);
		local uint *t = from;
		from = to;
		to = t;
	}
	out[get_global_id(0)] = from[l];
}

kernel void scan_exclusive(global const uint *in, global uint *out, global uint *total, local uint *scratch)
{
	uint l = get_local_id(0), n = get_local_size(0) * 2;
	uint base = get_group_id(0) * n;
	scratch[2 * l] = in[base + 2 * l];
	scratch[2 * l + 1] = in[base + 2 * l + 1];
	uint stride = 1;
	for (uint d = n >> 1; d > 0; d >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < d)
			scratch[stride * (2 * l + 2) - 1] += scratch[stride * (2 * l + 1) - 1];
		stride <<= 1;
	}
	if (l == 0) {
		total[get_group_id(0)] = scratch[n - 1];
		scratch[n - 1] = 0;
	}
	for (uint d = 1; d < n; d <<= 1) {
		stride >>= 1;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < d) {
			uint i = stride * (2 * l + 1) - 1, j = stride * (2 * l + 2) - 1;
			uint t = scratch[i];
			scratch[i] = scratch[j];
			scratch[j] += t;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[base + 2 * l] = scratch[2 * l];
	out[base + 2 * l + 1] = scratch[2 * l + 1];
}
