// Every 32-bit atomic of OpenCL 1.2 in global and in local memory, in uses
// whose outcome does not depend on the order of work-items.
// addressing: 32

kernel void atomics(global const int *in, global int *g, global uint *h, global uint *tickets,
                    global int *from_local, local int *s, local uint *t)
{
	int i = get_global_id(0);
	uint l = get_local_id(0);
	int v = in[i];
	if (l < 10)
		s[l] = l == 2 ? INT_MAX : l == 3 ? INT_MIN : l == 5 ? -1 : 0;
	if (l < 4)
		t[l] = l == 0 ? UINT_MAX : 0;
	barrier(CLK_LOCAL_MEM_FENCE);

	atomic_add(&g[0], v);
	atomic_sub(&g[1], v);
	atomic_min(&g[2], v);
	atomic_max(&g[3], v);
	atomic_or(&g[4], 1 << (i & 31));
	atomic_and(&g[5], ~(1 << (v & 15)));
	atomic_xor(&g[6], v);
	atomic_inc(&g[7]);
	atomic_dec(&g[8]);
	atomic_min(&h[0], (uint)v);
	atomic_max(&h[1], (uint)v);
	// Tickets are a permutation whatever the order: each is taken once.
	uint mine = (uint)atomic_inc((global int *)&h[2]);
	atomic_add(&tickets[mine], 1u);
	// A maximum by compare-and-swap.
	uint seen = atomic_or(&h[3], 0u);
	for (;;) {
		if ((uint)v <= seen)
			break;
		uint before = atomic_cmpxchg(&h[3], seen, (uint)v);
		if (before == seen)
			break;
		seen = before;
	}
	// One work-item takes what is there.
	atomic_add(&h[5], atomic_xchg(&h[4], 0u));

	atomic_add(&s[0], v);
	atomic_sub(&s[1], v);
	atomic_min(&s[2], v);
	atomic_max(&s[3], v);
	atomic_or(&s[4], 1 << (l & 31));
	atomic_and(&s[5], ~(1 << (v & 15)));
	atomic_xor(&s[6], v);
	atomic_inc(&s[7]);
	atomic_dec(&s[8]);
	atomic_min(&t[0], (uint)v);
	atomic_max(&t[1], (uint)v);
	// Exchanged tokens: what is put in and what is taken out balances.
	uint token = 1u + (uint)i;
	uint taken = atomic_xchg(&t[2], token);
	atomic_add(&t[3], token - taken);
	atomic_cmpxchg(&s[9], 0, 7);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 10)
		from_local[get_group_id(0) * 12 + l] = s[l];
	if (l == 10)
		from_local[get_group_id(0) * 12 + 10] = (int)(t[0] ^ t[1]);
	if (l == 11)
		from_local[get_group_id(0) * 12 + 11] = (int)(t[3] - t[2]);
}
