// Row by row over a two-dimensional array.
//! run -global 4 -local 4 -arg zero:i32:4
kernel void rows(global int *out)
{
	int a[4][4], sum = 0;
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 4; x++)
			a[y][x] = x * y;
	for (int x = 0; x < 4; x++)
		sum += a[get_local_id(0)][x];
	out[get_local_id(0)] = sum;
}
