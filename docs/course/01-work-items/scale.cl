// Exercise 1.1: every element, whatever the size of the groups
//
// The kernel is to compute y[i] = 3 * x[i] + 1 for every element. It is right when all
// work-items are in one work-group. Make it right for any number of groups.

kernel void scale(global const int *x, global int *y)
{
	size_t i = get_local_id(0);
	y[i] = 3 * x[i] + 1;
}
