// Searches of graphs whose edges are lists of neighbours, one list after the other.

// The nodes of a frontier, one bit each, visit their neighbours.
kernel void bfs_step(global const int *first, global const int *edge, global const uint *frontier, global const uint *seen,
	global uint *next, global int *level, global int *count, int depth)
{
	int v = get_global_id(0);
	if ((frontier[v / 32] >> v % 32 & 1) == 0)
		return;
	for (int e = first[v]; e < first[v + 1]; e++) {
		int to = edge[e];
		uint bit = 1u << to % 32;
		if (seen[to / 32] & bit)
			continue;
		if (atomic_or(&next[to / 32], bit) & bit)
			continue;
		level[to] = depth;
		atomic_inc(count);
	}
}

// One round of Bellman and Ford.
kernel void relax(global const int *first, global const int *edge, global const uchar *length, global const uint *distance,
	global uint *shorter, global uint *changed)
{
	int v = get_global_id(0);
	uint here = distance[v];
	if (here == UINT_MAX)
		return;
	int e = first[v], end = first[v + 1];
	while (e != end) {
		uint there = here + length[e];
		int to = edge[e++];
		if (there < distance[to] && atomic_min(&shorter[to], there) > there)
			atomic_or(changed, 1);
	}
}

// Triangles with v as their least node: lists of greater neighbours are in order.
kernel void triangles(global const int *first, global const int *edge, global uint *count)
{
	int v = get_global_id(0);
	uint n = 0;
	for (int e = first[v]; e < first[v + 1]; e++) {
		int u = edge[e];
		global const int *p = edge + first[v], *pend = edge + first[v + 1];
		global const int *q = edge + first[u], *qend = edge + first[u + 1];
		while (p < pend && q < qend) {
			if (*p < *q)
				p++;
			else if (*q < *p)
				q++;
			else {
				n++;
				p++;
				q++;
			}
		}
	}
	count[v] = n;
}
