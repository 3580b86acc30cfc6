// Kernels for timelines. async.spv is made of this as kernels.spv of kernels.cl.
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

// One buffer: copy, wait, compute, and so on. The last chunk is missing an
// element.
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
