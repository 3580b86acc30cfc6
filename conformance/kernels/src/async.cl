// Copies between global and local memory that a work-group makes as one, and
// the events that it waits for: both directions, strides, several events, shared
// events, vectors and bytes of structures, loops and branches.
// addressing: 32

// Reverses the elements of each work-group; the last group may be shorter than
// n says, for n need not be a multiple of the work-group size.
kernel void async_reverse(global const uint *in, global uint *out, local uint *tile, uint n)
{
	size_t l = get_local_id(0), size = get_local_size(0);
	size_t base = get_group_id(0) * size;
	size_t count = base < n ? min(size, (size_t)n - base) : 0;
	event_t e = async_work_group_copy(tile, in + base, count, 0);
	wait_group_events(1, &e);
	uint mine = l < count ? tile[count - 1 - l] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < count)
		tile[l] = mine;
	barrier(CLK_LOCAL_MEM_FENCE);
	e = async_work_group_copy(out + base, tile, count, 0);
	wait_group_events(1, &e);
}

// Transposes a matrix of w columns and h rows: group g gathers column g with a
// stride, adds the row's number, and stores it as row g. scattered is the matrix
// again, scattered from local memory into a picture of pitch columns.
kernel void async_strided(global const int *in, global int *out, global int *scattered, local int *column,
	uint w, uint h, uint pitch)
{
	size_t g = get_group_id(0);
	event_t e = async_work_group_strided_copy(column, in + g, h, w, 0);
	wait_group_events(1, &e);
	for (uint y = get_local_id(0); y < h; y += get_local_size(0))
		column[y] += (int)y;
	barrier(CLK_LOCAL_MEM_FENCE);
	event_t both[2];
	both[0] = async_work_group_copy(out + g * h, column, h, 0);
	both[1] = async_work_group_strided_copy(scattered + g, column, h, pitch, 0);
	wait_group_events(2, both);
}

// Four copies of four types, each with its own event, waited for at once; the
// elements are summed item by item.
kernel void async_types(global const uchar *a, global const short4 *b, global const float *c, global const ulong2 *d,
	global ulong *out)
{
	local uchar la[64];
	local short4 lb[64];
	local float lc[64];
	local ulong2 ld[64];
	size_t l = get_local_id(0), base = get_group_id(0) * 64;
	event_t e[4];
	e[0] = async_work_group_copy(la, a + base, 64, 0);
	e[1] = async_work_group_copy(lb, b + base, 64, 0);
	e[2] = async_work_group_copy(lc, c + base, 64, 0);
	e[3] = async_work_group_copy(ld, d + base, 64, 0);
	wait_group_events(4, e);
	// The element opposite, so that work-items read what is not their own.
	size_t o = 63 - l;
	ulong sum = la[o];
	sum += (ulong)(long)(lb[o].x + 2 * lb[o].y + 3 * lb[o].z + 4 * lb[o].w);
	sum ^= (ulong)as_uint(lc[o]) << 16;
	sum += ld[o].x * 3 + ld[o].y;
	out[base + l] = sum;
}

// Gathers rows of a matrix by a list under one event: every copy joins it.
kernel void async_chain(global const float2 *in, global const uint *rows, global float2 *out, local float2 *tile,
	uint width, uint count)
{
	size_t first = get_group_id(0) * count;
	event_t e = 0;
	for (uint i = 0; i < count; i++)
		e = async_work_group_copy(tile + i * width, in + (size_t)rows[first + i] * width, width, e);
	wait_group_events(1, &e);
	// The sum of the rows goes to the first one.
	for (uint x = get_local_id(0); x < width; x += get_local_size(0)) {
		float2 sum = 0.0f;
		for (uint i = 0; i < count; i++)
			sum += tile[i * width + x];
		tile[x] = sum;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	e = async_work_group_copy(out + get_group_id(0) * width, tile, width, 0);
	wait_group_events(1, &e);
}

// Running sums over a long row, a tile at a time through two buffers on either
// side: while a tile is summed the next one comes in and the one before goes out.
#define TILE 32
kernel void async_pipeline(global const uint *in, global uint *out, uint tiles)
{
	local uint source[2][TILE], target[2][TILE];
	event_t come[2], go[2];
	size_t l = get_local_id(0);
	in += get_group_id(0) * tiles * TILE;
	out += get_group_id(0) * tiles * TILE;
	uint carry = 0;
	come[0] = async_work_group_copy(source[0], in, TILE, 0);
	for (uint t = 0; t < tiles; t++) {
		uint s = t & 1;
		if (t + 1 < tiles)
			come[s ^ 1] = async_work_group_copy(source[s ^ 1], in + (t + 1) * TILE, TILE, 0);
		if (t >= 2)
			wait_group_events(1, &go[s]);
		wait_group_events(1, &come[s]);
		uint sum = carry;
		for (uint i = 0; i <= l; i++)
			sum += source[s][i];
		target[s][l] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
		carry = target[s][TILE - 1];
		go[s] = async_work_group_copy(out + t * TILE, target[s], TILE, 0);
	}
	if (tiles > 1)
		wait_group_events(1, &go[tiles & 1]);
	if (tiles > 0)
		wait_group_events(1, &go[(tiles & 1) ^ 1]);
}

// Structures travel as their bytes. Groups with an even number take their
// records from a, the others every second one from b.
struct particle {
	float3 position;
	uint kind;
	ushort charge;
	uchar flags[6];
};

event_t fetch(local struct particle *to, global const struct particle *from, uint count, uint step, event_t e)
{
	if (step == 1)
		return async_work_group_copy((local uchar *)to, (global const uchar *)from, count * sizeof(struct particle), e);
	// A record has 32 bytes: eight words.
	return async_work_group_strided_copy((local uint8 *)to, (global const uint8 *)from, count, step, e);
}

kernel void async_structs(global const struct particle *a, global const struct particle *b, global float4 *out,
	local struct particle *records, uint count)
{
	size_t g = get_group_id(0);
	event_t e;
	if (g % 2 == 0)
		e = fetch(records, a + g * count, count, 1, 0);
	else
		e = fetch(records, b + g * count, count, 2, 0);
	wait_group_events(1, &e);
	for (uint i = get_local_id(0); i < count; i += get_local_size(0)) {
		struct particle p = records[(i + 1) % count];
		uint flags = 0;
		for (int f = 0; f < 6; f++)
			flags = flags * 3 + p.flags[f];
		out[g * count + i] = (float4)(p.position, (float)((p.kind & 0xff) + p.charge + (flags & 0xfff)));
	}
}
