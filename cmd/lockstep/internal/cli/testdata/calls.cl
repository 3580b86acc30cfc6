// Calls in calls, and a structure.
struct pair { int first; float4 second; };

int inner(int v)
{
	int twice = 2 * v;
	return twice + 1;
}

int outer(int v)
{
	int w = inner(v);
	return w * 10;
}

kernel void calls(global struct pair *pairs, constant int *offsets)
{
	int i = get_global_id(0);
	struct pair mine = {i, (float4)(i, 0.5f, -1, 2)};
	mine.first = outer(i + offsets[0]);
	pairs[i] = mine;
}
