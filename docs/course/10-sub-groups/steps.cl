// Exercise 10.2: the neighbour in the next sub-group
//
// out[i] is to become in[i] - in[i-1], and in[0] for the first element. Each lane gets the element
// of its left neighbour with a shuffle, without reading it from memory a second time. But
// sub-groups have ends.

kernel void steps(global const int *in, global int *out)
{
	size_t i = get_global_id(0);
	int x = in[i];
	int left = sub_group_shuffle_up(x, 1);
	out[i] = i == 0 ? x : x - left;
}
