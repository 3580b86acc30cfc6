// Turns the elements of each work-group around, by way of local memory. Without FIXED a barrier is missing.
kernel void turned(global const int *in, global int *out)
{
	local int tile[8];
	int i = get_local_id(0);
	tile[i] = in[get_global_id(0)];
#ifdef FIXED
	barrier(CLK_LOCAL_MEM_FENCE);
#endif
	out[get_global_id(0)] = tile[7 - i];
}
