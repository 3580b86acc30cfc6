// Loops of many trips that change a register, private memory, local memory or one bit of global memory.
//! run -global 8 -local 8 -arg zero:u32:1 -arg zero:u32:8
kernel void count(global uint *n, global uint *out)
{
	local uint here;
	uint own[2] = {0, 0};
	size_t l = get_local_id(0);
	if (l == 0) {
		here = 0;
		while (*n < 5000)
			*n += 1;
		while (here != 5000)
			here++;
	}
	while (own[l & 1] < 5000)
		own[l & 1]++;
	uint x = 1;
	do
		x = x << 1 | ((x >> 11 ^ x >> 5 ^ x >> 3 ^ x) & 1);
	while ((x & 0xfff) != 1);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = here + own[l & 1] + (x & 1);
}
