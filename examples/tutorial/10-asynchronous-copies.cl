// A work-group adds up n elements, 256 at a time. While its work-items add one piece, the next one is copied to local
// memory.
#define PIECE 256

kernel void total(global const int *in, global int *out, int n)
{
	local int piece[2][PIECE];
	int i = get_local_id(0);
	int sum = 0;
	event_t ready = async_work_group_copy(piece[0], in, PIECE, 0);
	for (int k = 0; k < n / PIECE; k++) {
		event_t next = 0;
		if ((k + 1) * PIECE < n)
			next = async_work_group_copy(piece[(k + 1) % 2], in + (k + 1) * PIECE, PIECE, 0);
		wait_group_events(1, &ready);
		for (int j = i; j < PIECE; j += get_local_size(0))
			sum += piece[k % 2][j];
		barrier(CLK_LOCAL_MEM_FENCE);
		ready = next;
	}
	sum = work_group_reduce_add(sum);
	if (i == 0)
		*out = sum;
}

// The same without the wait.
kernel void hasty(global const int *in, global int *out, int n)
{
	local int piece[PIECE];
	async_work_group_copy(piece, in, PIECE, 0);
	int sum = 0;
	for (int j = 0; j < PIECE; j++)
		sum += piece[j];
	if (get_local_id(0) == 0)
		*out = sum;
}
