// Each work-item has bins of its own, in one array.
//! run -global 8 -local 8 -arg iota:u32:64 -arg zero:u32:4
kernel void histogram(global const uint *in, global uint *bins)
{
	local uint count[8][4];
	size_t l = get_local_id(0);
	for (int b = 0; b < 4; b++)
		count[l][b] = 0;
	for (int i = 0; i < 8; i++)
		count[l][in[8 * l + i] % 4]++;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 4) {
		uint sum = 0;
		for (int i = 0; i < 8; i++)
			sum += count[i][l];
		bins[l] = sum;
	}
}
