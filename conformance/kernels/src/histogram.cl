// Histograms with atomics: counts in local memory that are added to global
// memory, and counts in global memory at once.
// lines: yes
// addressing: 32
#define BINS 64

kernel void histogram(global const uchar *data, uint n, global uint *bins)
{
	local uint mine[BINS];
	uint l = get_local_id(0);
	for (uint b = l; b < BINS; b += get_local_size(0))
		mine[b] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		atomic_inc(&mine[data[i] % BINS]);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint b = l; b < BINS; b += get_local_size(0))
		if (mine[b])
			atomic_add(&bins[b], mine[b]);
}

kernel void histogram_global(global const uchar *data, global uint *bins)
{
	atomic_inc(&bins[data[get_global_id(0)] % BINS]);
}
