kernel void matches(global const int *in, int key, global int *count)
{
	if (in[get_global_id(0)] == key)
		atomic_inc(count);
}
