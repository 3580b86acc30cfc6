kernel void matches(global const int *in, int key, global int *count)
{
	int n = work_group_reduce_add(in[get_global_id(0)] == key ? 1 : 0);
	atomic_add(count, n);
}
