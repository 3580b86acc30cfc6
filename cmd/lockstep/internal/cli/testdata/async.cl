// Kernels for timelines. async.spv is made of this as kernels.spv of kernels.cl, with
// llvm-spirv-15 --spirv-allow-unknown-intrinsics=llvm.amdgcn.
#define CHUNK 64

// Two buffers: while a chunk is worked on, the next one is on its way.
kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1)))
void overlap(global const float *in, global float *out, int chunks)
{
	local float tile[2][CHUNK];
	size_t lx = get_local_id(0), first = get_group_id(0) * chunks * CHUNK;
	event_t ready = async_work_group_copy(tile[0], in + first, CHUNK, 0);
	for (int i = 0; i < chunks; i++) {
		event_t next = 0;
		if (i + 1 < chunks)
			next = async_work_group_copy(tile[(i + 1) & 1], in + first + (i + 1) * CHUNK, CHUNK, 0);
		wait_group_events(1, &ready);
		float v = tile[i & 1][lx];
		out[first + i * CHUNK + lx] = v * v + v;
		barrier(CLK_LOCAL_MEM_FENCE); // all have read the tile
		ready = next;
	}
}

// One buffer: copy, wait, compute, and so on. The last copy reads an element
// too far.
kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1)))
void beyond(global const float *in, global float *out, int chunks)
{
	local float tile[CHUNK];
	size_t lx = get_local_id(0);
	for (int i = 0; i < chunks; i++) {
		event_t ready = async_work_group_copy(tile, in + i * CHUNK + (i + 1 == chunks), CHUNK, 0);
		wait_group_events(1, &ready);
		out[i * CHUNK + lx] = tile[lx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

// Eight copies at once, into one event, and one wait for all of them.
kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1)))
void many(global const float *in, global float *out)
{
	local float tile[8][CHUNK];
	size_t lx = get_local_id(0);
	event_t all = 0;
	for (int i = 0; i < 8; i++)
		all = async_work_group_copy(tile[i], in + i * CHUNK, CHUNK, all);
	wait_group_events(1, &all);
	float sum = 0.0f;
	for (int i = 0; i < 8; i++)
		sum += tile[i][lx];
	out[lx] = sum;
}

// AMDGPU's names, which translators leave as calls.
void load_async(const global void *src, local void *dst, uint size, uint offset, uint cpol) __asm("llvm.amdgcn.load.async.to.lds.p1");
void asyncmark(void) __asm("llvm.amdgcn.asyncmark");
void wait_asyncmark(ushort n) __asm("llvm.amdgcn.wait.asyncmark");

// Copies of the work-items, one of them not of all; each has a mark. Nobody
// waits for the last mark.
kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1)))
void marks(global const float *in, global float *out)
{
	local float tile[2][CHUNK];
	uint lx = get_local_id(0), first = lx & ~31u; // of the sub-group
	load_async(in + lx, &tile[0][first], 4, 0, 0);
	asyncmark();
	if (lx < 40)
		load_async(in + CHUNK + lx, &tile[1][first], 4, 0, 0);
	asyncmark();
	wait_asyncmark(1);
	out[lx] = tile[0][lx];
	wait_asyncmark(0);
	if (lx < 40)
		out[CHUNK + lx] = tile[1][lx];
	asyncmark();
}
