// One barrier for a local and a global exchange.
//! run -global 32 -local 16 -arg zero:i32:32 -arg zero:i32:32
kernel void exchange(global int *scratch, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0), base = get_group_id(0) * 16;
	scratch[base + l] = (int)(l * l);
	tile[l] = -(int)l;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[base + l] = scratch[base + (l + 1) % 16] + tile[15 - l];
}
