// Kernels for the tests of writes to memory that kernels may only read. Each writes through a pointer to constant memory
// from which a cast has taken that.

#define WRITABLE(c) ((global int *)(ulong)(c))

kernel void store(constant int *c, global int *out) {
	out[0] = c[1];
	WRITABLE(c)[get_global_id(0)] = 1;
}

kernel void store_vector(constant int *c, global int *out) { vstore4((int4)(1, 2, 3, 4), 0, WRITABLE(c) + out[0]); }

kernel void add(constant int *c, global int *out) { atomic_inc((volatile global int *)(ulong)(c + out[0])); }

kernel void copy(constant int *c, global int *out) {
	local int tile[64];
	tile[get_local_id(0)] = out[get_local_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	event_t e = async_work_group_copy(WRITABLE(c), tile, 64, 0);
	wait_group_events(1, &e);
}

struct block {
	int v[128];
};
kernel void copy_block(constant int *c, global int *out) { *(global struct block *)(ulong)c = *(global struct block *)out; }

constant int table[64] = {1, 2, 3};
kernel void variable(constant int *c, global int *out) {
	out[0] = table[c[0]];
	WRITABLE(table)[get_global_id(0)] = 1;
}

// What a pointer to const leads to may be written, as in C: the object is not const.
kernel void cast_const(global const int *c, global int *out) {
	out[0] = 5;
	((global int *)c)[get_global_id(0)] = 1;
}

// Another argument may lead to the same buffer.
kernel void same(constant int *c, global int *out) {
	size_t i = get_global_id(0);
	out[i] = 2 * (int)i;
	out[i] += c[i];
}
