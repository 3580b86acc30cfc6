// The bins are read without a barrier behind the atomic operations: a plain read against atomic
// updates is a race.
//! run -global 32 -local 32 -arg iota:u32:32 -arg zero:u32:4
kernel void histogram(global const uint *in, global uint *bins)
{
	local uint count[4];
	size_t l = get_local_id(0);
	if (l < 4)
		count[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_inc(&count[in[l] % 4]); // find E-RACE
	if (l < 4)
		bins[l] = count[l]; // find E-RACE
}
