// A barrier does not wait for copies.
kernel void brighter(global const int *in, global int *out)
{
	local int tile[64];
	async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = tile[get_local_id(0)] + 10;
}
