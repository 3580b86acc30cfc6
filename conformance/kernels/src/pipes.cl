// Kernels that run at the same time and hand packets to each other.

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// A sieve of primes: a kernel for each, in a chain. 0 ends the numbers.

kernel void sieve_numbers(write_only pipe uint to, uint last) {
	for (uint x = 2; x <= last + 1; x++) {
		uint packet = x <= last ? x : 0;
		while (write_pipe(to, &packet) != 0)
			;
	}
}

kernel void sieve_filter(read_only pipe uint from, write_only pipe uint to, global uint *prime) {
	uint p = 0, x;
	do {
		while (read_pipe(from, &x) != 0)
			;
		if (p == 0)
			p = x;
		if (x == 0 || x % p != 0)
			while (write_pipe(to, &x) != 0)
				;
	} while (x != 0);
	prime[0] = p;
}

kernel void sieve_rest(read_only pipe uint from, global uint *rest) {
	uint x, n = 0;
	for (;;) {
		while (read_pipe(from, &x) != 0)
			;
		if (x == 0)
			break;
		rest[n++] = x;
	}
}

// A tree that merges sorted streams.

kernel void merge_source(global const int *in, write_only pipe int to, uint n) {
	for (uint i = 0; i < n; i++) {
		int x = in[i];
		while (write_pipe(to, &x) != 0)
			;
	}
}

static int next(read_only pipe int from) {
	int x;
	while (read_pipe(from, &x) != 0)
		;
	return x;
}

kernel void merge_two(read_only pipe int a, read_only pipe int b, write_only pipe int to, uint n) {
	uint taken[2] = { 0, 0 };
	int head[2];
	head[0] = next(a);
	head[1] = next(b);
	for (uint i = 0; i < 2 * n; i++) {
		int which = taken[0] == n || (taken[1] < n && head[1] < head[0]);
		int x = head[which];
		while (write_pipe(to, &x) != 0)
			;
		if (++taken[which] < n) {
			if (which)
				head[1] = next(b);
			else
				head[0] = next(a);
		}
	}
}

kernel void merge_sink(read_only pipe int from, global int *out, uint n) {
	for (uint i = 0; i < n; i++)
		out[i] = next(from);
}

// Work-groups that hand over whole blocks.

kernel void blocks_in(global const uint *in, write_only pipe uint to) {
	uint n = get_local_size(0), x = in[get_global_id(0)];
	reserve_id_t block;
	do
		block = work_group_reserve_write_pipe(to, n);
	while (!is_valid_reserve_id(block));
	write_pipe(to, block, get_local_id(0), &x);
	work_group_commit_write_pipe(to, block);
}

kernel void blocks_out(read_only pipe uint from, local uint *tile, global uint *out) {
	uint n = get_local_size(0), i = get_local_id(0);
	reserve_id_t block;
	do
		block = work_group_reserve_read_pipe(from, n);
	while (!is_valid_reserve_id(block));
	read_pipe(from, block, i, &tile[i]);
	work_group_commit_read_pipe(from, block);
	barrier(CLK_LOCAL_MEM_FENCE);
	// Values tell where they come from.
	out[tile[0] + i] = tile[n - 1 - i] + (i > 0 ? tile[i - 1] : 0);
}

// Sub-groups that do, of whatever size they are.

kernel void lanes_in(global const uint *in, write_only pipe uint to) {
	uint n = get_sub_group_size(), x = in[get_global_id(0)];
	reserve_id_t block;
	do
		block = sub_group_reserve_write_pipe(to, n);
	while (!is_valid_reserve_id(block));
	write_pipe(to, block, n - 1 - get_sub_group_local_id(), &x);
	sub_group_commit_write_pipe(to, block);
}

kernel void lanes_out(read_only pipe uint from, global uint *out) {
	uint n = get_sub_group_size(), x;
	reserve_id_t block;
	do
		block = sub_group_reserve_read_pipe(from, n);
	while (!is_valid_reserve_id(block));
	read_pipe(from, block, get_sub_group_local_id(), &x);
	sub_group_commit_read_pipe(from, block);
	out[x] = x * x + 1;
}

// A histogram: many work-items say what to count, one counts.

kernel void bins_find(global const uchar *in, write_only pipe ushort to, uint each) {
	for (uint i = 0; i < each; i++) {
		uchar v = in[get_global_id(0) * each + i];
		ushort bin = v / 16 * 16;
		if (v % 3 == 0)
			continue;
		while (write_pipe(to, &bin) != 0)
			;
	}
	ushort end = 256;
	while (write_pipe(to, &end) != 0)
		;
}

kernel void bins_count(read_only pipe ushort from, global uint *bins, uint writers) {
	while (writers > 0) {
		ushort bin;
		if (read_pipe(from, &bin) != 0)
			continue;
		if (bin == 256)
			writers--;
		else
			bins[bin / 16]++;
	}
}

// Structures that go round between two kernels, which each move them a step.

typedef struct {
	float4 at, speed;
	uint id, steps;
} body;

kernel void bodies_begin(global const float4 *in, write_only pipe body to, read_only pipe body back, global float4 *out, uint n) {
	for (uint i = 0; i < n; i++) {
		body b = { in[2 * i], in[2 * i + 1], i, 0 };
		while (write_pipe(to, &b) != 0)
			;
	}
	for (uint ended = 0; ended < n;) {
		body b;
		if (read_pipe(back, &b) != 0)
			continue;
		b.speed = b.speed * 0.5f + b.at * 0.125f;
		if (++b.steps < 6 + b.id) {
			while (write_pipe(to, &b) != 0)
				;
		} else {
			out[b.id] = b.at;
			ended++;
		}
	}
	body last = { 0, 0, n, 0 };
	while (write_pipe(to, &last) != 0)
		;
}

kernel void bodies_move(read_only pipe body from, write_only pipe body back, uint n) {
	for (;;) {
		body b;
		if (read_pipe(from, &b) != 0)
			continue;
		if (b.id == n)
			break;
		b.at = b.at + b.speed * 0.25f;
		b.steps++;
		while (write_pipe(back, &b) != 0)
			;
	}
}
