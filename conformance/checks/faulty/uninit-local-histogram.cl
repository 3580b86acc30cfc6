// The bins in local memory are never cleared.
//! run -global 16 -local 16 -arg iota:u32:16 -arg zero:u32:4
kernel void histogram(global const uint *in, global uint *bins)
{
	local uint count[4];
	size_t l = get_local_id(0);
	atomic_inc(&count[in[l] % 4]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 4)
		bins[l] = count[l]; // find E-UNINIT
}
