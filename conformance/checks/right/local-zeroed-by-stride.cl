// A loop with the stride of the work-group clears all of a local array.
//! run -global 8 -local 8 -arg iota:u32:8 -arg zero:u32:20
kernel void bins(global const uint *in, global uint *out)
{
	local uint count[20];
	size_t l = get_local_id(0);
	for (size_t i = l; i < 20; i += get_local_size(0))
		count[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&count[in[l] * 2], in[l]);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (size_t i = l; i < 20; i += 8)
		out[i] = count[i];
}
