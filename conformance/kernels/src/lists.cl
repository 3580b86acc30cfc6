// Linked lists in global memory, their links kept as indices and walked as
// pointers: generic ones from OpenCL C 2.0 on.
// addressing: 32
#if __OPENCL_C_VERSION__ < 200
#define ANY global
#else
#define ANY
#endif

struct node {
	uint next;
	uint value;
};

static uint advance(const ANY struct node **at, const ANY struct node *first)
{
	uint v = (*at)->value;
	*at = first + (*at)->next;
	return v;
}

kernel void list_walk(global const struct node *nodes, global const uint *heads, global uint *out, uint limit)
{
	size_t i = get_global_id(0);
	uint s = 0;
	const ANY struct node *at = nodes + heads[i];
	for (uint k = 0; k < limit && at->value != 0; k++)
		s = s * 31 + advance(&at, nodes);
	out[i] = s;
}
