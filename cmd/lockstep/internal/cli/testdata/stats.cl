// The first sub-group of a work-group does most of the work, and the others wait for it.
kernel void uneven(global const int *in, global int *out)
{
	local int tile[64];
	int i = get_local_id(0), sum = 0;
	for (int k = 0; k < (i < 32 ? 20 : 2); k++)
		sum += in[get_global_id(0)] * k;
	tile[i] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i % 2 == 0)
		out[get_global_id(0)] = tile[i] + tile[63 - i];
}
