// Bitonic sorting networks in local memory, each work-group sorting twice its
// size: keys alone, and keys that carry a value (ties broken by the value, so
// that the order is total).

kernel void bitonic(global uint *keys, local uint *k)
{
	uint l = get_local_id(0), n = get_local_size(0) * 2;
	uint base = get_group_id(0) * n;
	k[l] = keys[base + l];
	k[l + n / 2] = keys[base + l + n / 2];
	for (uint size = 2; size <= n; size <<= 1)
		for (uint stride = size >> 1; stride > 0; stride >>= 1) {
			barrier(CLK_LOCAL_MEM_FENCE);
			uint i = 2 * l - (l & (stride - 1));
			uint up = (i & size) == 0;
			uint a = k[i], b = k[i + stride];
			if ((a > b) == up) {
				k[i] = b;
				k[i + stride] = a;
			}
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	keys[base + l] = k[l];
	keys[base + l + n / 2] = k[l + n / 2];
}

kernel void bitonic_pairs(global float *keys, global uint *values, local float *k, local uint *v)
{
	uint l = get_local_id(0), n = get_local_size(0) * 2;
	uint base = get_group_id(0) * n;
	for (uint i = l; i < n; i += n / 2) {
		k[i] = keys[base + i];
		v[i] = values[base + i];
	}
	for (uint size = 2; size <= n; size <<= 1)
		for (uint stride = size >> 1; stride > 0; stride >>= 1) {
			barrier(CLK_LOCAL_MEM_FENCE);
			uint i = 2 * l - (l & (stride - 1)), j = i + stride;
			bool up = (i & size) == 0;
			bool greater = k[i] > k[j] || (k[i] == k[j] && v[i] > v[j]);
			if (greater == up) {
				float tk = k[i];
				k[i] = k[j];
				k[j] = tk;
				uint tv = v[i];
				v[i] = v[j];
				v[j] = tv;
			}
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = l; i < n; i += n / 2) {
		keys[base + i] = k[i];
		values[base + i] = v[i];
	}
}
