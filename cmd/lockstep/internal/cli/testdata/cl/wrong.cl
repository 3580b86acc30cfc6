kernel void wrong(global float *data, uint count)
{
	int unused;
	data[0] = cuont;
	data[1] = sine(1.0f);
	data[2] = fmax(1.0f, data)
}
