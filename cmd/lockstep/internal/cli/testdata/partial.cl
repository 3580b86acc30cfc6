/* All work-items read one element, each at a time of its own: more than the search for races remembers. */
kernel void spread(global int *p, volatile global atomic_int *n)
{
	int place = atomic_fetch_add(n, 1);
	p[1 + place] = p[0];
}
