// Kernels that go wrong where an argument says so: at p[i] for the wrong i, by
// dividing by zero, or by never coming to an end.

#define ACCESS(NAME, POINTER)                                                                  \
	kernel void NAME##_read(POINTER p, long i, global int *out) {                          \
		out[0] = p[i];                                                                 \
	}                                                                                      \
	kernel void NAME##_write(POINTER p, long i, global int *out) {                         \
		p[i] = out[0];                                                                 \
	}                                                                                      \
	kernel void NAME##_atomic(POINTER p, long i, global int *out) {                        \
		out[0] = atomic_add(p + i, 1);                                                 \
	}                                                                                      \
	kernel void NAME##_lanes(POINTER p, long i, global int *out) {                         \
		p[i + get_local_id(0)] = 5;                                                    \
	}                                                                                      \
	kernel void NAME##_wide(POINTER p, long i, global int *out) {                          \
		vstore16((int16)(out[0]), 0, p + i);                                           \
	}

ACCESS(global, global int *)
ACCESS(local, local int *)

kernel void argument_read(constant int *p, long i, global int *out) { out[0] = p[i]; }

constant int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
kernel void constant_read(long i, global int *out) { out[0] = table[i]; }
kernel void constant_write(long i, global int *out) { ((global int *)(ulong)table)[i] = out[0]; }

global int variable[8];
kernel void variable_read(long i, global int *out) { out[0] = variable[i]; }
kernel void variable_write(long i, global int *out) { variable[i] = out[0]; }

kernel void tile_read(long i, global int *out) {
	local int a[8];
	a[get_local_id(0)] = out[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[0] = a[i];
}
kernel void tile_write(long i, global int *out) {
	local int a[8];
	a[i] = out[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[0] = a[0];
}

kernel void private_read(long i, global int *out) {
	int a[8];
	for (int j = 0; j < 8; j++)
		a[j] = out[j];
	out[0] = a[i];
}
kernel void private_write(long i, global int *out) {
	int a[8];
	for (int j = 0; j < 8; j++)
		a[j] = out[j];
	a[i] = 3;
	out[0] = a[out[1] & 7];
}

void poke(int *p, long i) { p[i] = 3; }
int peek(int *p, long i) { return p[i]; }
kernel void generic_read(local int *p, long i, global int *out) { out[0] = peek(out[1] < 100 ? (int *)p : (int *)out, i); }
kernel void generic_write(local int *p, long i, global int *out) { poke(out[1] < 100 ? (int *)p : (int *)out, i); }

kernel void address_read(ulong address, global int *out) { out[0] = *(global int *)address; }
kernel void address_write(ulong address, global int *out) { *(global int *)address = out[0]; }
kernel void address_atomic(ulong address, global int *out) { out[0] = atomic_inc((global int *)address); }
kernel void address_local(ulong address, global int *out) { out[0] = *(local int *)address; }
kernel void address_private(ulong address, global int *out) { out[0] = *(private int *)address; }

kernel void leak_private(global ulong *slot, global int *out) {
	volatile int a[64];
	a[out[0] & 63] = 1;
	slot[0] = (ulong)&a[out[0] & 63];
}
kernel void leak_local(global ulong *slot, global int *out) {
	local int a[64];
	a[out[0] & 63] = 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	slot[0] = (ulong)&a[out[0] & 63];
}
kernel void leak_global(global ulong *slot, global int *p) { slot[0] = (ulong)p; }

kernel void div_int(int a, int b, global int *out) { out[0] = a / b; }
kernel void rem_int(int a, int b, global int *out) { out[0] = a % b; }
kernel void div_uint(uint a, uint b, global int *out) { out[0] = a / b; }
kernel void rem_uint(uint a, uint b, global int *out) { out[0] = a % b; }
kernel void div_long(long a, long b, global int *out) { out[0] = a / b; }
kernel void rem_ulong(ulong a, ulong b, global int *out) { out[0] = a % b; }
kernel void div_char(char a, char b, global int *out) { out[0] = (char)(a / b); }
kernel void div_int4(int4 a, int4 b, global int *out) { vstore4(a / b, 0, out); }
kernel void div_lanes(int a, int b, global int *out) { out[get_global_id(0)] = a / ((int)get_global_id(0) - b); }

kernel void endless(global volatile int *out) {
	while (out[0] >= 0)
		;
}
kernel void endless_empty(global int *out) {
	while (true)
		;
}
kernel void endless_some(global volatile int *out) {
	if (get_local_id(0) & 1)
		while (out[0] >= 0)
			;
}
kernel void endless_barrier(global int *out) {
	while (true)
		barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void endless_group(global volatile int *out) {
	if (get_group_id(0) == 1)
		while (out[0] >= 0)
			;
}
kernel void endless_printf(global volatile int *out) {
	while (out[0] >= 0)
		printf("still here\n");
}
kernel void lock(global volatile int *out) {
	while (atomic_cmpxchg(out, 1, 2) != 1)
		;
}
kernel void barrier_left(global int *out) {
	if (get_local_id(0) < 4)
		barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void barrier_waits(global volatile int *out) {
	if (get_local_id(0) == 0)
		while (out[0] >= 0)
			;
	barrier(CLK_LOCAL_MEM_FENCE);
}
