// Lane i reads word i * stride of local memory.
kernel void stride(global int *out, int stride)
{
	local int words[32 * 32];
	int place = get_local_id(0);
	for (int k = 0; k < 32; k++)
		words[32 * k + place] = k;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[place] = words[place * stride];
}
