kernel void running(global const int *in, global int *out, local int *part)
{
	int place = get_local_id(0);
	part[place] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	int best = part[0];
	for (int k = 1; k <= place; k++)
		best = max(best, part[k]);
	out[get_global_id(0)] = best;
}
