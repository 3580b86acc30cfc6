// A lock-free stack. Each work-item pushes nodes and pops as many, so that a pop
// always finds one; who gets which depends on the order, how often each is taken
// does not. The head carries a counter against the ABA problem. The atomics are
// those of OpenCL C 1.2, with fences.
// addressing: 32

static void push(volatile global uint *head, volatile global uint *next, uint node)
{
	uint old = atomic_or(head, 0);
	for (;;) {
		atomic_xchg(&next[node], old & 0xffff);
		mem_fence(CLK_GLOBAL_MEM_FENCE);
		uint seen = atomic_cmpxchg(head, old, (old & 0xffff0000) + 0x10000 + node);
		if (seen == old)
			return;
		old = seen;
	}
}

static uint pop(volatile global uint *head, volatile global uint *next)
{
	uint old = atomic_or(head, 0);
	for (;;) {
		uint node = old & 0xffff;
		if (node == 0xffff)
			return node;
		mem_fence(CLK_GLOBAL_MEM_FENCE);
		uint after = atomic_or(&next[node], 0);
		uint seen = atomic_cmpxchg(head, old, (old & 0xffff0000) + 0x10000 + after);
		if (seen == old)
			return node;
		old = seen;
	}
}

kernel void stack(volatile global uint *head, volatile global uint *next, global uint *taken,
                  uint each, uint rounds)
{
	uint first = (uint)get_global_id(0) * each;
	for (uint k = 0; k < each; k++)
		push(head, next, first + k);
	for (uint r = 0; r < rounds; r++) {
		uint node = pop(head, next);
		push(head, next, node);
	}
	for (uint k = 0; k < each; k++) {
		uint node = pop(head, next);
		if (node < 0xffff) {
			atomic_inc(&taken[node]);
			atomic_xchg(&next[node], 0);
		}
	}
}
