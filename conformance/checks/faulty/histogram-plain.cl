// Counts with ++ on bins that several work-items of the group share.
//! run -global 32 -local 32 -arg iota:u32:32 -arg zero:u32:4
kernel void histogram(global const uint *in, global uint *bins)
{
	local uint count[4];
	size_t l = get_local_id(0);
	if (l < 4)
		count[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	count[in[l] % 4]++; // find E-RACE
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 4)
		bins[l] = count[l];
}
