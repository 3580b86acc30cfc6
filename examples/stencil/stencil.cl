// A 3 x 3 filter over a picture of any size, in row-major order; the picture's
// edge continues beyond it. weights has the nine factors, top left first.
//
// A work-group takes a band of WIDTH columns and goes down it in strips of
// HEIGHT rows. Copies run beside the arithmetic: while strip i is computed,
// strip i+1 comes in with a ring of one pixel around it, and the result of
// strip i-1 goes out. Groups that share a band (get_num_groups(1) of them) take
// turns at its strips. Round the global size in x up to a multiple of WIDTH; in
// y it is HEIGHT times as many groups as shall share a band.
#pragma OPENCL FP_CONTRACT OFF
#define WIDTH 32
#define HEIGHT 8
#define PITCH (WIDTH + 2)

// From the extension cl_khr_extended_async_copies, which clang does not
// declare: lines of elements, counted in elements of the given size.
event_t __attribute__((overloadable)) async_work_group_copy_2D2D(local void *dst, size_t dst_offset,
	const global void *src, size_t src_offset, size_t element_bytes, size_t elements, size_t lines,
	size_t src_line, size_t dst_line, event_t event);
event_t __attribute__((overloadable)) async_work_group_copy_2D2D(global void *dst, size_t dst_offset,
	const local void *src, size_t src_offset, size_t element_bytes, size_t elements, size_t lines,
	size_t src_line, size_t dst_line, event_t event);

kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1)))
void stencil(global const float *in, global float *out, uint width, uint height, constant float *weights)
{
	local float tile[2][(HEIGHT + 2) * PITCH];
	local float result[2][HEIGHT * WIDTH];
	uint lx = get_local_id(0), ly = get_local_id(1);
	uint x0 = get_group_id(0) * WIDTH;
	uint columns = min((uint)WIDTH, width - x0);
	uint strips = (height + HEIGHT - 1) / HEIGHT, turn = get_num_groups(1);

	// What of the ring exists: left is 1 where there is a column to the left.
	uint left = x0 > 0, right = x0 + columns < width;
	// Where this work-item's column and its neighbours are in a tile.
	uint xm = min(lx, columns - 1) + 1;
	uint xl = max(xm - 1, 1 - left), xr = min(xm + 1, columns + right);

	// Copies a strip and what there is of its ring; pixel (x, y) of the strip
	// comes to (x+1, y+1) of the tile.
#define FETCH(strip, stage) async_work_group_copy_2D2D(tile[stage], ((strip) > 0 ? 0 : PITCH) + 1 - left, \
		in, (size_t)((strip) * HEIGHT - ((strip) > 0)) * width + x0 - left, sizeof(float), left + columns + right, \
		min((strip) * HEIGHT + HEIGHT + 1, height) - ((strip) * HEIGHT - ((strip) > 0)), width, PITCH, 0)

	uint strip = get_group_id(1);
	if (strip >= strips)
		return; // the whole group
	event_t ready = FETCH(strip, 0), next = 0, written = 0, before = 0;
	if (strip + turn < strips)
		next = FETCH(strip + turn, 1);
	uint stage = 0, i = 0;
	for (; strip < strips; i++, strip += turn) {
		uint y0 = strip * HEIGHT, rows = min((uint)HEIGHT, height - y0);
		const local float *t = tile[stage];
		wait_group_events(1, &ready);
#ifndef MISSING_WAIT
		if (i >= 2)
			wait_group_events(1, &before); // result[stage] has gone out
#endif
		uint above = y0 > 0, below = y0 + rows < height;
		uint ym = min(ly, rows - 1) + 1;
		uint yu = max(ym - 1, 1 - above), yd = min(ym + 1, rows + below);
		float sum = 0.0f;
		sum += weights[0] * t[yu * PITCH + xl];
		sum += weights[1] * t[yu * PITCH + xm];
		sum += weights[2] * t[yu * PITCH + xr];
		sum += weights[3] * t[ym * PITCH + xl];
		sum += weights[4] * t[ym * PITCH + xm];
		sum += weights[5] * t[ym * PITCH + xr];
		sum += weights[6] * t[yd * PITCH + xl];
		sum += weights[7] * t[yd * PITCH + xm];
		sum += weights[8] * t[yd * PITCH + xr];
		result[stage][ly * WIDTH + lx] = sum;
		// All have read the tile and written the result.
		barrier(CLK_LOCAL_MEM_FENCE);
		before = written;
		written = async_work_group_copy_2D2D(out, (size_t)y0 * width + x0, result[stage], 0,
			sizeof(float), columns, rows, WIDTH, width, 0);
		ready = next;
		if (strip + 2 * turn < strips)
			next = FETCH(strip + 2 * turn, stage);
		stage ^= 1;
	}
	if (i >= 2)
		wait_group_events(1, &before);
	wait_group_events(1, &written);
}
