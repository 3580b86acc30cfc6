kernel void warn(global int *data)
{
	int n;
	if (data[0] = 1)
		data[1] = 2;
}
