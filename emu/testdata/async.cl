// Kernels for the tests of asynchronous copies. Each brings its input to local
// memory and stores what has arrived.

void load_buffer(global void *resource, local void *base, uint size, uint voffset, uint soffset, uint offset, uint aux)
	__asm("llvm.amdgcn.raw.ptr.buffer.load.async.lds");
void load_to_lds(const global void *from, local void *base, uint size, uint offset, uint aux) __asm("llvm.amdgcn.load.async.to.lds.p1");
void asyncmark(void) __asm("llvm.amdgcn.asyncmark");
void wait_asyncmark(ushort n) __asm("llvm.amdgcn.wait.asyncmark");

// resource copies each work-item's element through a buffer resource: zero
// where that ends.
kernel void resource(global void *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	load_buffer(in, tile + get_sub_group_id() * get_max_sub_group_size(), 4, get_global_id(0) * 4, 0, 0, 0);
	asyncmark();
	wait_asyncmark(0);
	out[get_global_id(0)] = tile[i];
}

// pipeline copies the next element while it adds the one before.
kernel void pipeline(global const uint *in, global uint *out, uint steps) {
	local uint tile[2][64];
	size_t i = get_local_id(0), first = get_sub_group_id() * get_max_sub_group_size();
	size_t n = get_global_size(0);
	uint sum = 0;
	load_to_lds(in + get_global_id(0), tile[0] + first, 4, 0, 0);
	asyncmark();
	for (uint s = 1; s <= steps; s++) {
		if (s < steps)
			load_to_lds(in + s * n + get_global_id(0), tile[s % 2] + first, 4, 0, 0);
		asyncmark();
		wait_asyncmark(1);
		sum = sum * 3 + tile[(s - 1) % 2][i];
	}
	wait_asyncmark(0);
	out[get_global_id(0)] = sum;
}

// hasty is pipeline with a wait that leaves one copy too many behind.
kernel void hasty(global const uint *in, global uint *out, uint steps) {
	local uint tile[2][64];
	size_t i = get_local_id(0), first = get_sub_group_id() * get_max_sub_group_size();
	size_t n = get_global_size(0);
	uint sum = 0;
	load_to_lds(in + get_global_id(0), tile[0] + first, 4, 0, 0);
	asyncmark();
	for (uint s = 1; s <= steps; s++) {
		if (s < steps)
			load_to_lds(in + s * n + get_global_id(0), tile[s % 2] + first, 4, 0, 0);
		asyncmark();
		wait_asyncmark(2);
		sum = sum * 3 + tile[(s - 1) % 2][i];
	}
	wait_asyncmark(0);
	out[get_global_id(0)] = sum;
}

// reversed turns each work-group's elements round.
kernel void reversed(global const uint *in, global uint *out) {
	local uint tile[64];
	size_t n = get_local_size(0), first = get_group_id(0) * n;
	event_t e = async_work_group_copy(tile, in + first, n, 0);
	wait_group_events(1, &e);
	out[get_global_id(0)] = tile[n - 1 - get_local_id(0)];
}

// tail copies too much when the last work-group is not as large as the others.
kernel void tail(global const uint *in, global uint *out) {
	local uint tile[64];
	size_t n = get_enqueued_local_size(0), first = get_group_id(0) * n;
	event_t e = async_work_group_copy(tile, in + first, n, 0);
	wait_group_events(1, &e);
	out[get_global_id(0)] = tile[get_local_id(0)];
}
