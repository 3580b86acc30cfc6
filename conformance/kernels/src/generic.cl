// Pointers to pointers and the generic address space of OpenCL C 2.0.
// addressing: 32

static uint sum(const uint *p, uint n)
{
	uint s = 0;
	for (uint i = 0; i < n; i++)
		s = s * 3 + p[i];
	return s;
}

static void exchange(uint **a, uint **b)
{
	uint *t = *a;
	*a = *b;
	*b = t;
}

static void set(uint ***where, uint v)
{
	***where = v;
}

kernel void generic_space(global uint *g, global uint *out, local uint *l)
{
	uint lid = get_local_id(0), n = get_local_size(0);
	size_t i = get_global_id(0);
	uint p[4] = {lid, lid + 1, lid * 2, 9};
	l[lid] = g[i] + 1;
	barrier(CLK_LOCAL_MEM_FENCE);

	// One call site, three address spaces, chosen by the lane.
	const uint *any = lid % 3 == 0 ? (const uint *)p : lid % 3 == 1 ? (const uint *)l : (const uint *)(g + i / n * n);
	uint s = sum(any, 4);

	uint *table[3] = {p, p + 1, p + 2};
	exchange(&table[lid % 3], &table[(lid + 1) % 3]);
	for (uint k = 0; k < 3; k++)
		s = s * 7 + *table[k];
	uint **q = &table[lid & 1];
	set(&q, s ^ 0x55u);
	s += p[0] + p[1] * 2 + p[2] * 4;

	// What a generic pointer says of itself.
	s = s * 2 + (to_local(any) != 0);
	s = s * 2 + (to_private(any) != 0);
	s = s * 2 + (to_global(any) != 0);
	out[i] = s;
}
