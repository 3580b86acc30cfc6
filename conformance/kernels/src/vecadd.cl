// The sum of two vectors, element by element; lanes past the end do nothing.
// lines: yes
// addressing: 32

kernel void vecadd(global const int *a, global const int *b, global int *c, uint n)
{
	size_t i = get_global_id(0);
	if (i < n)
		c[i] = (int)((uint)a[i] + (uint)b[i]);
}
