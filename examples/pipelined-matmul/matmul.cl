// C = A * B for matrices of any size, in row-major order: A has m rows of k
// elements, B has k rows of n, C has m rows of n. A work-group of TILE x TILE
// work-items computes one tile of C and walks along a row of tiles of A and a
// column of tiles of B, which it keeps in local memory. Round the global size
// up to multiples of TILE: n across, m down.
//
// Three kernels do the same sums in the same order, so their results are equal
// bit for bit:
//
//   matmul_plain    load, barrier, multiply, barrier: nothing overlaps
//   matmul_events   copies of the work-group into two buffers, one event a tile
//   matmul_marks    copies of the work-items into three buffers, one mark a tile
#pragma OPENCL FP_CONTRACT OFF
#define TILE 16

// sum_tile adds the products of one tile. Work-items beyond C's edge compute
// too, for they take part in copies and barriers; ly and lx are clamped so that
// they read what was copied.
static float sum_tile(float sum, const local float *a, const local float *b, uint ly, uint lx, uint steps)
{
	if (steps == TILE) {
		#pragma unroll
		for (uint i = 0; i < TILE; i++)
			sum += a[ly * TILE + i] * b[i * TILE + lx];
	} else {
		for (uint i = 0; i < steps; i++)
			sum += a[ly * TILE + i] * b[i * TILE + lx];
	}
	return sum;
}

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul_plain(global const float *a, global const float *b, global float *c, uint m, uint n, uint k)
{
	local float at[TILE * TILE], bt[TILE * TILE];
	uint lx = get_local_id(0), ly = get_local_id(1);
	uint x = get_global_id(0), y = get_global_id(1);
	uint rows = min((uint)TILE, m - (y - ly)), columns = min((uint)TILE, n - (x - lx));
	float sum = 0.0f;
	for (uint t = 0; t < k; t += TILE) {
		uint steps = min((uint)TILE, k - t);
		if (y < m && lx < steps)
			at[ly * TILE + lx] = a[(size_t)y * k + t + lx];
		if (x < n && ly < steps)
			bt[ly * TILE + lx] = b[(size_t)(t + ly) * n + x];
		barrier(CLK_LOCAL_MEM_FENCE);
		sum = sum_tile(sum, at, bt, min(ly, rows - 1), min(lx, columns - 1), steps);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (x < n && y < m)
		c[(size_t)y * n + x] = sum;
}

// From the extension cl_khr_extended_async_copies, which clang does not
// declare: lines of elements, counted in elements of the given size.
event_t __attribute__((overloadable)) async_work_group_copy_2D2D(local void *dst, size_t dst_offset,
	const global void *src, size_t src_offset, size_t element_bytes, size_t elements, size_t lines,
	size_t src_line, size_t dst_line, event_t event);

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul_events(global const float *a, global const float *b, global float *c, uint m, uint n, uint k)
{
	local float at[2][TILE * TILE], bt[2][TILE * TILE];
	uint lx = get_local_id(0), ly = get_local_id(1);
	uint x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;
	uint rows = min((uint)TILE, m - y0), columns = min((uint)TILE, n - x0);
	uint ty = min(ly, rows - 1), tx = min(lx, columns - 1);
	float sum = 0.0f;

	// The tiles at t of A and B, under one event.
#define FETCH(t, stage, event) do { \
		uint steps_ = min((uint)TILE, k - (t)); \
		event = async_work_group_copy_2D2D(at[stage], 0, a, (size_t)y0 * k + (t), sizeof(float), steps_, rows, k, TILE, 0); \
		event = async_work_group_copy_2D2D(bt[stage], 0, b, (size_t)(t) * n + x0, sizeof(float), columns, steps_, n, TILE, event); \
	} while (0)

	event_t ready = 0, next = 0;
	if (0 < k)
		FETCH(0, 0, ready);
	if (TILE < k)
		FETCH(TILE, 1, next);
	uint stage = 0;
	for (uint t = 0; t < k; t += TILE) {
#ifndef MISSING_WAIT
		wait_group_events(1, &ready);
#endif
		sum = sum_tile(sum, at[stage], bt[stage], ty, tx, min((uint)TILE, k - t));
		ready = next;
		if (t + 2 * TILE < k) {
			// The others may still read this tile.
			barrier(CLK_LOCAL_MEM_FENCE);
			FETCH(t + 2 * TILE, stage, next);
		}
		stage ^= 1;
	}
	if (lx < columns && ly < rows)
		c[(size_t)(y0 + ly) * n + x0 + lx] = sum;
}

// AMD's copy from global memory to local memory: each work-item moves size
// bytes from its own src to dst + 4 * its number in the sub-group, or 16 * its
// number when size is more than 4; dst is the same for the sub-group. A mark
// stands behind all copies that the work-item has issued before, and
// wait_asyncmark(N) waits until at most the last N marks are open.
void load_async(const global void *src, local void *dst, uint size, uint offset, uint cpol) __asm("llvm.amdgcn.load.async.to.lds.p1");
void asyncmark(void) __asm("llvm.amdgcn.asyncmark");
void wait_asyncmark(ushort n) __asm("llvm.amdgcn.wait.asyncmark");

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul_marks(global const float *a, global const float *b, global float *c, uint m, uint n, uint k)
{
	// A tile of A, and behind it one of B.
	local float tiles[3][2 * TILE * TILE];
	uint lx = get_local_id(0), ly = get_local_id(1), l = ly * TILE + lx;
	uint x = get_global_id(0), y = get_global_id(1), x0 = x - lx, y0 = y - ly;
	uint rows = min((uint)TILE, m - y0), columns = min((uint)TILE, n - x0);
	uint ty = min(ly, rows - 1), tx = min(lx, columns - 1);
	// The sub-group's first work-item.
	uint first = get_sub_group_id() * get_max_sub_group_size();
	float sum = 0.0f;

	// What this work-item copies of the tiles at 0 is the element at of from, in
	// row or column depth of k; by each tile it goes on by step. Where rows are
	// whole groups of four elements, the first quarter of the work-items copies
	// four each of A, and the second quarter of B. Otherwise each copies one of A,
	// and one of B, for which there are at_b and so on.
	const uint outside = -1;
	bool wide = k % 4 == 0 && n % 4 == 0;
	global const float *from = a;
	uint depth = y < m ? lx : outside, depth_b = x < n ? ly : outside;
	size_t at = (size_t)y * k + lx, at_b = (size_t)ly * n + x;
	size_t step = TILE, step_b = (size_t)TILE * n;
	if (wide) {
		uint r = l % (TILE * TILE / 4) / 4, q = l % 4 * 4;
		if (l < TILE * TILE / 4) {
			depth = y0 + r < m ? q : outside;
			at = (size_t)(y0 + r) * k + q;
		} else {
			from = b;
			depth = l < TILE * TILE / 2 && x0 + q < n ? r : outside;
			at = (size_t)r * n + x0 + q;
			step = step_b;
		}
	}

	// The t from which on there is nothing left for it to copy.
	uint end = k - min(depth, k), end_b = k - min(depth_b, k);

	// Behind the last tile nothing is copied, but a mark is made, so that the
	// count of the wait stays the same.
#define LOAD(t, stage) do { \
		if (wide) { \
			if ((t) < end) \
				load_async(&from[at], &tiles[stage][4 * first], 16, 0, 0); \
		} else { \
			if ((t) < end) \
				load_async(&from[at], &tiles[stage][first], 4, 0, 0); \
			if ((t) < end_b) \
				load_async(&b[at_b], &tiles[stage][TILE * TILE + first], 4, 0, 0); \
			at_b += step_b; \
		} \
		at += step; \
		asyncmark(); \
	} while (0)

	LOAD(0, 0);
	LOAD(TILE, 1);
	uint stage = 0, spare = 2;
	for (uint t = 0; t < k; t += TILE) {
#ifndef MISSING_WAIT
		wait_asyncmark(1);
#endif
		// Behind the barrier these tiles are there, the others' parts of them too, and
		// everybody has done with the tiles before them, whose place is now free.
		barrier(CLK_LOCAL_MEM_FENCE);
		LOAD(t + 2 * TILE, spare);
		sum = sum_tile(sum, tiles[stage], tiles[stage] + TILE * TILE, ty, tx, min((uint)TILE, k - t));
		spare = stage;
		stage = stage == 2 ? 0 : stage + 1;
	}
	if (x < n && y < m)
		c[(size_t)y * n + x] = sum;
}
