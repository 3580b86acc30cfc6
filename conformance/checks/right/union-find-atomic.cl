// Roots of a union-find structure by atomic minimum; all accesses are atomic.
//! run -global 8 -local 2 -arg iota:i32:8
//! varies
kernel void join(global atomic_int *root)
{
	int i = get_global_id(0), other = (i * 3 + 1) % 8;
	int r = atomic_load_explicit(&root[other], memory_order_relaxed, memory_scope_device);
	atomic_fetch_min_explicit(&root[i], r, memory_order_relaxed, memory_scope_device);
}
