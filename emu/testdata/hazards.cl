// Kernels for the tests of findings about asynchronous copies. Each does one
// thing wrong and has a name that says what; work-groups have 64 work-items.

void load_to_lds(const global void *from, local void *base, uint size, uint offset, uint aux) __asm("llvm.amdgcn.load.async.to.lds.p1");
void asyncmark(void) __asm("llvm.amdgcn.asyncmark");
void wait_asyncmark(ushort n) __asm("llvm.amdgcn.wait.asyncmark");

ulong __mux_dma_read_3D(local void *to, const global void *from, ulong width, ulong to_stride, ulong from_stride, ulong height, ulong to_plane,
	ulong from_plane, ulong depth, ulong event) __attribute__((convergent));
void __mux_dma_wait(uint n, ulong *events) __attribute__((convergent));

#define BASE (get_sub_group_id() * get_max_sub_group_size())

kernel void read_too_early(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	event_t e = async_work_group_copy(tile, in, 64, 0);
	out[i] = tile[i];
	wait_group_events(1, &e);
}

kernel void write_to_source(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	event_t e = async_work_group_copy(tile, in, 64, 0);
	in[63 - i] = 1;
	wait_group_events(1, &e);
	out[i] = tile[i];
}

kernel void lanes_wait_for_too_little(global uint *in, global uint *out) {
	local uint tile[2][64];
	size_t i = get_local_id(0);
	load_to_lds(in + i, tile[0] + BASE, 4, 0, 0);
	asyncmark();
	load_to_lds(in + 64 + i, tile[1] + BASE, 4, 0, 0);
	asyncmark();
	wait_asyncmark(2);
	out[i] = tile[0][i];
}

kernel void lanes_without_mark(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	load_to_lds(in + i, tile + BASE, 4, 0, 0);
	wait_asyncmark(0);
	tile[i] = 1;
	out[i] = 1;
}

kernel void lanes_of_others(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	load_to_lds(in + i, tile + BASE, 4, 0, 0);
	asyncmark();
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = tile[63 - i];
	wait_asyncmark(0);
}

kernel void lanes_without_barrier(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	load_to_lds(in + i, tile + BASE, 4, 0, 0);
	asyncmark();
	wait_asyncmark(0);
	out[i] = tile[63 - i];
}

kernel void overlapping(global uint *in, global uint *out) {
	local uint tile[128];
	size_t i = get_local_id(0);
	event_t e = async_work_group_copy(tile, in, 64, 0);
	e = async_work_group_copy(tile + 60, in + 64, 64, e);
	wait_group_events(1, &e);
	out[i] = tile[i];
}

kernel void copied_back_too_early(global uint *in, global uint *out) {
	local uint tile[64];
	event_t e = async_work_group_copy(tile, in, 64, 0);
	e = async_work_group_copy(out, tile, 64, e);
	wait_group_events(1, &e);
}

kernel void written_without_barrier(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	tile[i] = in[i];
	event_t e = async_work_group_copy(out, tile, 64, 0);
	wait_group_events(1, &e);
}

kernel void stride_of_zero(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	event_t e = async_work_group_strided_copy(tile, in, 64, 0, 0);
	wait_group_events(1, &e);
	out[i] = tile[i];
}

kernel void planes_too_small(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	ulong e = __mux_dma_read_3D(tile, in, 16, 16, 12, 2, 30, 32, 2, 0);
	__mux_dma_wait(1, &e);
	out[i] = tile[0];
}

kernel void different_operands(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	event_t e = async_work_group_copy(tile, in + (i < 32 ? 0 : 64), i < 32 ? 64 : 32, 0);
	wait_group_events(1, &e);
	out[i] = tile[0];
}

kernel void partial_copy(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	if (i < 48) {
		event_t e = async_work_group_copy(tile, in, 64, 0);
		wait_group_events(1, &e);
	}
	out[i] = 1;
}

kernel void partial_wait(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	event_t e = async_work_group_copy(tile, in, 64, 0);
	if (i == 0)
		wait_group_events(1, &e);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = tile[i];
}

kernel void no_wait(global uint *in, global uint *out) {
	local uint tile[64];
	async_work_group_copy(tile, in, 64, 0);
	out[get_local_id(0)] = 1;
}

kernel void no_event(global uint *in, global uint *out) {
	ulong e = 7;
	__mux_dma_wait(1, &e);
	out[get_local_id(0)] = in[0];
}

kernel void lane_in_base(global uint *in, global uint *out) {
	local uint tile[128];
	size_t i = get_local_id(0);
	load_to_lds(in + i, tile + i, 4, 0, 0);
	asyncmark();
	wait_asyncmark(0);
	out[i] = 1;
}

static void __attribute__((noinline)) fetch(global uint *in, local uint *tile) {
	load_to_lds(in, tile, 4, 0, 0);
	asyncmark();
}

// The wait counts no mark: that of fetch is not in its sequence.
kernel void mark_of_callee(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	fetch(in + i, tile + BASE);
	wait_asyncmark(0);
	out[i] = tile[i];
}

kernel void null_event(global uint *in, global uint *out) {
	event_t e = 0;
	wait_group_events(1, &e);
	out[get_local_id(0)] = in[0];
}

kernel void source_written_without_barrier(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	in[i] = i;
	event_t e = async_work_group_copy(tile, in, 64, 0);
	wait_group_events(1, &e);
	out[i] = tile[i];
}

kernel void target_read_without_barrier(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	tile[i] = in[i];
	uint old = out[63 - i];
	barrier(CLK_LOCAL_MEM_FENCE);
	old += out[i];
	event_t e = async_work_group_copy(out, tile, 64, 0);
	wait_group_events(1, &e);
	in[i] = old;
}

kernel void tile_read_without_barrier(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	tile[i] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = tile[63 - i];
	event_t e = async_work_group_copy(tile, in, 64, 0);
	wait_group_events(1, &e);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] += tile[63 - i];
}

kernel void one_writes_the_source(global uint *in, global uint *out) {
	local uint tile[64];
	size_t i = get_local_id(0);
	if (i == 63)
		in[5] = 7;
	event_t e = async_work_group_copy(tile, in, 64, 0);
	wait_group_events(1, &e);
	out[i] = tile[i];
}
