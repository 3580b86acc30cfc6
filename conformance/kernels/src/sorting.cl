// Sorting: into buckets of local memory, by ranks, and in private arrays.

#define BUCKETS 16
#define ROOM 64

// A work-group parts its elements into buckets by their low bits and writes, for each bucket, how many
// there are, their sum and the greatest.
kernel void buckets(global const uint *in, global uint *out)
{
	local uint count[BUCKETS], item[BUCKETS][ROOM];
	uint l = get_local_id(0);
	if (l < BUCKETS)
		count[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint v = in[get_global_id(0)], b = v % BUCKETS;
	uint slot = atomic_inc(&count[b]);
	if (slot < ROOM)
		item[b][slot] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < BUCKETS) {
		uint n = min(count[l], (uint)ROOM), sum = 0, most = 0;
		for (uint i = 0; i < n; i++) {
			sum += item[l][i];
			most = max(most, item[l][i]);
		}
		global uint *p = out + (get_group_id(0) * BUCKETS + l) * 3;
		p[0] = n;
		p[1] = sum;
		p[2] = most;
	}
}

// Two lists in order become one: each element looks for its place in the other list.
kernel void merge_ranks(global const int *a, global const int *b, global int *out, int n)
{
	int i = get_global_id(0);
	bool second = i >= n;
	int v = second ? b[i - n] : a[i];
	global const int *other = second ? a : b;
	int low = 0, high = n;
	while (low < high) {
		int middle = (low + high) / 2;
		if (other[middle] < v || second && other[middle] == v)
			low = middle + 1;
		else
			high = middle;
	}
	out[(second ? i - n : i) + low] = v;
}

// Lists of sixteen, each by insertion.
kernel void sort16(global const ushort *in, global ushort *out)
{
	size_t at = 16 * get_global_id(0);
	ushort v[16];
	for (int i = 0; i < 16; i++) {
		ushort x = in[at + i];
		int j = i;
		while (j > 0 && v[j - 1] > x) {
			v[j] = v[j - 1];
			j--;
		}
		v[j] = x;
	}
	for (int i = 0; i < 16; i++)
		out[at + i] = v[i];
}
