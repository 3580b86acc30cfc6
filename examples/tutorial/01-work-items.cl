// One work-item computes one element. get_global_id says which.
kernel void squares(global int *out)
{
	int i = get_global_id(0);
	out[i] = i * i;
}
