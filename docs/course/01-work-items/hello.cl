// Each work-item writes the square of its number.
kernel void hello(global int *out)
{
	size_t i = get_global_id(0);
	out[i] = i * i;
}
