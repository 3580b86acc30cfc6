// Kernels for the tests of launches that end well.

struct point {
	char tag;
	int x;
	double w;
};

global int counter = 5;
constant int odd[4] = {1, 3, 5, 7};
constant int even[4] = {0, 2, 4, 6};
constant int *constant tables[2] = {odd, even + 1};

kernel void saxpy(float a, global const float *x, global float *y) {
	size_t i = get_global_id(0);
	y[i] = a * x[i] + y[i];
}

kernel void ids(global uint4 *out) {
	size_t i = get_global_linear_id();
	out[i] = (uint4)(get_global_id(0), get_global_id(1), get_global_id(2), get_local_linear_id());
}

kernel void values(struct point p, float3 v, short8 s, uchar b, global double *out) {
	out[0] = p.tag;
	out[1] = p.x;
	out[2] = p.w;
	out[3] = v.x + v.y + v.z;
	out[4] = s.s0 + s.s7;
	out[5] = b;
}

kernel void pointers(global int *a, constant int *b, local int *c, global int *out) {
	out[0] = a == 0;
	out[1] = b ? b[0] : -1;
	c[get_local_id(0)] = get_local_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[2] = c[get_local_size(0) - 1];
}

kernel void variables(global int *out) {
	out[0] = counter;
	counter += 2;
	out[1] = tables[0][1];
	out[2] = tables[1][1];
}

kernel void hello(uint n) {
	for (uint i = 0; i < n; i++)
		printf("group %d item %d: %u\n", (int)get_group_id(0), (int)get_local_id(0), i);
}

kernel __attribute__((reqd_work_group_size(8, 2, 1))) void required(global int *out) { out[get_global_linear_id()] = 1; }

kernel __attribute__((work_group_size_hint(12, 1, 1))) void hinted(global int *out) { out[get_global_id(0)] = get_local_size(0); }

// Sub-group 0 waits for a flag that the last one sets.
kernel void spin(global int *out) {
	local atomic_int flag;
	if (get_local_id(0) == 0)
		atomic_store(&flag, 0);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0) {
		while (atomic_load(&flag) == 0)
			;
		out[get_group_id(0)] = 1;
	} else if (get_local_id(0) == get_local_size(0) - 1)
		atomic_store(&flag, 1);
}

// The sum depends on who comes when; the total does not.
kernel void tickets(global atomic_int *next, global int *out) { out[get_global_id(0)] = atomic_fetch_add(next, 1); }

// Groups overwrite each other: the last one in the schedule wins.
kernel void racing(global int *out) { out[get_local_id(0)] = get_group_id(0); }
