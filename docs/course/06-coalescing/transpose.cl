// Exercise 6.3: rows become columns
//
// out is to become the transposed matrix of in: element (x, y) goes to (y, x). Both have n rows of n
// elements; n is a multiple of 16, and groups have 16 by 16 work-items. The reads coalesce, the
// writes do not. Make both coalesce. A tile of 16 by 16 elements has room in local memory.

kernel void transpose(global const int *in, global int *out, int n)
{
	size_t x = get_global_id(0), y = get_global_id(1);
	out[x * n + y] = in[y * n + x];
}
