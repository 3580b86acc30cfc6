// The bins are cleared by the first work-items while others already count.
//! run -global 32 -local 32 -arg iota:u32:32 -arg zero:u32:4
//! also E-UNINIT
kernel void histogram(global const uint *in, global uint *bins)
{
	local uint count[4];
	size_t l = get_local_id(0);
	if (l < 4)
		count[l] = 0; // find E-RACE
	atomic_inc(&count[in[l] % 4]); // find E-RACE
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 4)
		bins[l] = count[l];
}
