static void put(global int *p, int v) { p[0] = v; }

/* Two work-items write one element: a race, through an inlined call. */
kernel void race(global int *p)
{
	/* größe */ put(p, get_global_id(0));
}
