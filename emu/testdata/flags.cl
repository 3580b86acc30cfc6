// Correct kernels whose sub-groups are ordered by atomic operations, where
// others have a barrier; work-groups have 64 work-items. And one whose atomic
// operations order nothing.

void load_to_lds(const global void *from, local void *base, uint size, uint offset, uint aux) __asm("llvm.amdgcn.load.async.to.lds.p1");
void asyncmark(void) __asm("llvm.amdgcn.asyncmark");
void wait_asyncmark(ushort n) __asm("llvm.amdgcn.wait.asyncmark");

#define SCOPE memory_scope_work_group

static uint acquire(local atomic_uint *a) {
	return atomic_load_explicit(a, memory_order_acquire, SCOPE);
}

// The first sub-group loads tiles into two buffers for the others, which tell it
// when they have read them.
kernel void producer(global uint *in, global uint *out) {
	local uint tile[2][64];
	local atomic_uint full[2], read[2];
	uint i = get_local_id(0), lane = get_sub_group_local_id(), lanes = get_sub_group_size(), readers = get_num_sub_groups() - 1;
	if (i < 2) {
		atomic_init(&full[i], 0);
		atomic_init(&read[i], 0);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	uint sum = 0;
	for (uint t = 0; t < 4; t++) {
		uint stage = t & 1, round = t / 2;
		if (get_sub_group_id() == 0) {
			while (acquire(&read[stage]) < round * readers)
				;
			for (uint k = 0; k < 64; k += lanes)
				load_to_lds(in + t * 64 + k + lane, &tile[stage][k], 4, 0, 0);
			asyncmark();
			wait_asyncmark(0);
			sub_group_barrier(CLK_LOCAL_MEM_FENCE);
			if (lane == 0)
				atomic_store_explicit(&full[stage], round + 1, memory_order_release, SCOPE);
		} else {
			while (acquire(&full[stage]) < round + 1)
				;
			sum = sum * 3 + tile[stage][63 - i];
			sub_group_barrier(CLK_LOCAL_MEM_FENCE);
			if (lane == 0)
				atomic_fetch_add_explicit(&read[stage], 1, memory_order_release, SCOPE);
		}
	}
	if (get_sub_group_id() != 0)
		out[i] = sum;
}

// All count themselves, and wait until they are all there.
kernel void counter(global uint *in, global uint *out) {
	local uint tile[64];
	local atomic_uint there;
	uint i = get_local_id(0);
	if (i == 0)
		atomic_init(&there, 0);
	barrier(CLK_LOCAL_MEM_FENCE);
	tile[63 - i] = in[i];
	atomic_fetch_add_explicit(&there, 1, memory_order_acq_rel, SCOPE);
	while (acquire(&there) < 64)
		;
	event_t e = async_work_group_copy(out, tile, 64, 0);
	wait_group_events(1, &e);
}

// A histogram that is copied out while some may still count: a barrier is missing.
kernel void histogram(global uint *in, global uint *out) {
	local uint bins[64];
	uint i = get_local_id(0);
	bins[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < 4; k++)
		atomic_inc(&bins[in[k * 64 + i] % 64]);
	event_t e = async_work_group_copy(out, bins, 64, 0);
	wait_group_events(1, &e);
}
