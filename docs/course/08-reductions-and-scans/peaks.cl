// Exercise 8.3: more elements than work-items
//
// Each group finds the largest of its stretch of count elements; group g has the elements from
// g * count on. count is a multiple of the size of a group, which is a power of two. The start is
// right: work-item 0 looks at all of them while the others idle. Let all of them work: first each
// for itself, then together.

kernel void peaks(global const int *in, int count, global int *largest, local int *part)
{
	if (get_local_id(0) == 0) {
		global const int *mine = in + get_group_id(0) * count;
		int best = mine[0];
		for (int k = 1; k < count; k++)
			best = max(best, mine[k]);
		largest[get_group_id(0)] = best;
	}
}
