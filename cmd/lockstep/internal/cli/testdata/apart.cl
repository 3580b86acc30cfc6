kernel void apart(global int *x)
{
	int i = get_local_id(0);
	if (i < 2)
		return;
	if (i < 4)
		barrier(CLK_LOCAL_MEM_FENCE);
	else
		barrier(CLK_GLOBAL_MEM_FENCE);
	x[i] = i;
}
