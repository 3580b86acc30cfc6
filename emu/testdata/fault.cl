// Kernels for the tests of launches that end badly.

kernel void vecadd(global const int *a, global const int *b, global int *c) {
	size_t i = get_global_id(0);
	c[i] = a[i] + b[i];
}

kernel void divide(global const int *a, global int *out) {
	size_t i = get_global_linear_id();
	out[i] = 100 / a[i];
}

kernel void deadlock(global int *out) {
	size_t i = get_local_id(0);
	if (i >= 48)
		return;
	out += get_group_id(0) * get_local_size(0);
	if (i < 32) {
		barrier(CLK_LOCAL_MEM_FENCE);
		out[i] = out[i + 1];
	} else {
		out[i] = 2;
		barrier(CLK_LOCAL_MEM_FENCE);
		out[i] = out[i - 1] + 1;
	}
}

kernel void partial(global int *out) {
	size_t i = get_local_id(0);
	if (i < 8)
		barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = 3;
}

kernel void forever(global volatile int *out) {
	if (get_local_id(0) < 8)
		return;
	while (out[0] == 0)
		;
}

kernel void tile(local int *t, global int *out) {
	t[get_local_id(0)] = 1;
	t[get_local_id(0) + 1] = 2;
	out[get_group_id(0)] = t[0];
}

kernel void fixed_tile(global int *out) {
	local int t[16];
	t[out[0]] = 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[0] = t[0];
}

kernel void private_array(global int *out) {
	int a[8];
	for (int i = 0; i < 8; i++)
		a[i] = i;
	a[out[0]] = 5;
	out[1] = a[out[2]];
}

constant int lut[4] = {1, 2, 3, 4};
kernel void constant_array(global int *out) { out[1] = lut[out[0]]; }

kernel void keep(global ulong *slot, global int *p) { slot[0] = (ulong)p; }
kernel void use(global ulong *slot) { ((global int *)slot[0])[0] = 1; }

kernel void big_local(global int *out) {
	local int t[64 * 1024];
	t[out[0]] = 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[1] = t[out[0]];
}

kernel void big_private(global int *out) {
	int t[1024 * 1024];
	for (int i = 0; i < 1024 * 1024; i++)
		t[i] = out[0];
	out[1] = t[out[0]];
}

kernel void bad_barrier_loop(global int *out) {
	while (true) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (out[0])
			break;
	}
}
