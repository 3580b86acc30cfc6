#ifndef FLAGS
#define ORDER(x) memory_order_##x
#define FLAGS CLK_GLOBAL_MEM_FENCE
#endif

// A message: the data, and a flag that says that it is there.
kernel void message(global atomic_int *data, global atomic_int *flag, global int *seen)
{
	if (get_global_id(0) == 0) {
		atomic_store_explicit(data, 1, memory_order_relaxed);
		atomic_store_explicit(flag, 1, ORDER(release));
	} else {
		seen[0] = atomic_load_explicit(flag, ORDER(acquire));
		seen[1] = atomic_load_explicit(data, memory_order_relaxed);
	}
}

// The second work-group waits for the first one's message.
kernel void wait(global int *data, global atomic_int *flag, global int *seen)
{
	if (get_group_id(0) == 0) {
		*data = 42;
		atomic_store_explicit(flag, 1, ORDER(release));
	} else {
		while (atomic_load_explicit(flag, ORDER(acquire)) == 0)
			;
		*seen = *data;
	}
}

kernel void late(global atomic_int *x, global int *seen)
{
	int other = 1 - get_global_id(0);
	int v = atomic_load_explicit(x + other, memory_order_relaxed);
	atomic_store_explicit(x + get_global_id(0), 1, memory_order_relaxed);
	seen[get_global_id(0)] = v;
}

// A fence for local memory does not order what is stored in global memory.
kernel void neighbours(global int *x, global int *seen)
{
	x[get_local_id(0)] = 1;
	work_group_barrier(FLAGS);
	seen[get_local_id(0)] = x[1 - get_local_id(0)];
}

kernel void piped(read_only pipe int p, global int *x)
{
	int v;
	read_pipe(p, &v);
	*x = v;
}

kernel void copied(global int *x)
{
	local int tile[4];
	event_t e = async_work_group_copy(tile, x, 4, 0);
	wait_group_events(1, &e);
}
