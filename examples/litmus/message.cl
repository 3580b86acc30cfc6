// A message from one work-group to another: the data, and a flag that says that it is there. With RELAXED the flag
// orders nothing, and may be seen before the data.
#ifdef RELAXED
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#endif

kernel void message(global int *data, global atomic_int *flag, global int *received)
{
	if (get_group_id(0) == 0) {
		*data = 42;
		atomic_store_explicit(flag, 1, RELEASE, memory_scope_device);
	} else if (atomic_load_explicit(flag, ACQUIRE, memory_scope_device)) {
		*received = *data;
	}
}
