// The lock-free stack with the atomics of OpenCL C 2.0: explicit orders and
// scopes, and generic pointers to atomic objects.

static void push(volatile atomic_uint *head, volatile global atomic_uint *next, uint node)
{
	uint old = atomic_load_explicit(head, memory_order_relaxed, memory_scope_device);
	do {
		atomic_store_explicit(&next[node], old & 0xffff, memory_order_relaxed, memory_scope_device);
	} while (!atomic_compare_exchange_strong_explicit(head, &old, (old & 0xffff0000) + 0x10000 + node,
	                                                  memory_order_release, memory_order_relaxed,
	                                                  memory_scope_device));
}

static uint pop(volatile atomic_uint *head, volatile global atomic_uint *next)
{
	uint old = atomic_load_explicit(head, memory_order_acquire, memory_scope_device);
	uint node;
	do {
		node = old & 0xffff;
		if (node == 0xffff)
			break;
		uint after = atomic_load_explicit(&next[node], memory_order_relaxed, memory_scope_device);
		if (atomic_compare_exchange_strong_explicit(head, &old, (old & 0xffff0000) + 0x10000 + after,
		                                            memory_order_acq_rel, memory_order_acquire,
		                                            memory_scope_device))
			break;
	} while (true);
	return node;
}

kernel void stack2(volatile global atomic_uint *head, volatile global atomic_uint *next,
                   volatile global atomic_uint *taken, uint each)
{
	uint first = (uint)get_global_id(0) * each;
	for (uint k = 0; k < each; k++)
		push(head, next, first + k);
	for (uint k = 0; k < each; k++) {
		uint node = pop(head, next);
		if (node < 0xffff) {
			atomic_fetch_add_explicit(&taken[node], 1u, memory_order_relaxed, memory_scope_device);
			atomic_store_explicit(&next[node], 0u, memory_order_relaxed, memory_scope_device);
		}
	}
}
