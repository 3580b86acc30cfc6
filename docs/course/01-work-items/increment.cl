// Exercise 1.2: more work-items than elements
//
// The kernel adds 1 to each of n elements. The host may start more work-items than there
// are elements, because the number of work-items has to be a multiple of the size of a group.
// Make the kernel leave alone what is not its own.

kernel void increment(global int *data, int n)
{
	size_t i = get_global_id(0);
	data[i] = data[i] + 1;
}
