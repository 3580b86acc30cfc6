// Group 0 sends a number to group 1, by way of data. flag says that it is there.
#ifndef ORDER_STORE
#define ORDER_STORE memory_order_relaxed
#define ORDER_LOAD memory_order_relaxed
#endif

kernel void message(global int *data, global atomic_int *flag, global int *received)
{
	if (get_group_id(0) == 0) {
		*data = 42;
		atomic_store_explicit(flag, 1, ORDER_STORE, memory_scope_device);
	} else if (atomic_load_explicit(flag, ORDER_LOAD, memory_scope_device) == 1) {
		*received = *data;
	}
}
