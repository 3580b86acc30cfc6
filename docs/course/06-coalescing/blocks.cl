// Exercise 6.1: who takes which element?
//
// n * count elements are to be squared, by n work-items. The start gives each work-item count
// elements that stand one after the other, as one would on a processor. Give out the elements so
// that a sub-group touches as few cache lines as possible.

kernel void blocks(global const int *in, global int *out, int count)
{
	size_t i = get_global_id(0);
	for (int k = 0; k < count; k++) {
		int x = in[i * count + k];
		out[i * count + k] = x * x;
	}
}
