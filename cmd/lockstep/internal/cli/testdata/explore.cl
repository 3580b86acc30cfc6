// Kernels whose runs agree, and kernels whose runs do not.
kernel void reverse(global const int *in, global int *out, local int *tile)
{
	int place = get_local_id(0);
	tile[place] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = tile[get_local_size(0) - 1 - place];
}

kernel void last(global int *out)
{
	int i = get_global_id(0);
	if (i % 2)
		out[0] = i;
	else
		out[0] = -i;
}

kernel void sometimes(global int *out)
{
	if (get_global_id(0) == 7 && out[0] == 0)
		out[1] = 1;
	if (get_global_id(0) == 0)
		out[0] = 1;
}

kernel void numbers(global int *ticket)
{
	printf("%d\n", atomic_inc(ticket));
}

kernel void pairs(global int *ticket)
{
	printf("%d has %d\n", (int)get_global_id(0), atomic_inc(ticket));
}

kernel void past(global int *out)
{
	out[get_global_id(0) + 1] = 1;
}

kernel void turns(volatile global int *flag)
{
	// Waits for a work-group that may not have begun.
	if (get_group_id(0) == 0)
		flag[0] = 1;
	else
		while (atomic_add(flag, 0) == 0)
			;
}

kernel void sizes(global int *out)
{
	out[get_global_id(0)] = get_max_sub_group_size();
}

__attribute__((intel_reqd_sub_group_size(8)))
kernel void eight(global int *out)
{
	out[get_global_id(0)] = get_max_sub_group_size();
}

kernel void moved(write_only pipe int p)
{
	int one = 1;
	write_pipe(p, &one);
}

constant int table[4] = {4, 3, 2, 1};
global int state[4];

kernel void variables(global float4 *out)
{
	int i = get_global_id(0);
	state[i % 4] = table[i % 4] + i;
	out[i] = (float4)(state[0], 0, 1, 2);
}

// Store buffering, load buffering and the like: one work-item of each work-group.
kernel void buffering(volatile global int *x, global int *r)
{
	if (get_global_id(0) == 0) {
		x[0] = 1;
		r[0] = x[1];
	} else {
		x[1] = 1;
		r[1] = x[0];
	}
}

// Work-items send their elements in whatever order they come.
kernel void send(global const int *in, write_only pipe int p)
{
	int v = in[get_global_id(0)];
	while (write_pipe(p, &v))
		;
}

kernel void receive(read_only pipe int p, global int *out, int n)
{
	for (int i = 0; i < n; i++) {
		int v;
		while (read_pipe(p, &v))
			;
		out[i] = v;
	}
}

kernel void ticket(global int *out)
{
	int turn = atomic_inc(&out[8]);
	if (turn < 4)
		out[get_global_id(0)] = turn + 1;
}
