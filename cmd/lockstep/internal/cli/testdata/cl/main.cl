int twice(int x);

kernel void doubled(global int *data)
{
	data[get_global_id(0)] = twice(data[get_global_id(0)]);
}
