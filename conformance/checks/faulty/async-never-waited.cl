// The kernel ends without waiting for its copy.
//! run -global 16 -local 16 -arg zero:i32:16
kernel void copy(global int *out)
{
	local int tile[16];
	tile[get_local_id(0)] = (int)get_local_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	async_work_group_copy(out, tile, 16, 0); // find E-ASYNCNOWAIT
}
