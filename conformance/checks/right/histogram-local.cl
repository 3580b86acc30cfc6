// Clear, barrier, count, barrier, read.
//! run -global 32 -local 16 -arg iota:u32:32 -arg zero:u32:4
kernel void histogram(global const uint *in, global uint *bins)
{
	local uint count[4];
	size_t l = get_local_id(0);
	if (l < 4)
		count[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_inc(&count[in[get_global_id(0)] % 4]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 4)
		atomic_add(&bins[l], count[l]);
}
