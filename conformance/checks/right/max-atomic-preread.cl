// A look at the maximum first, which is atomic as well.
//! run -global 32 -local 8 -arg iota:i32:32 -arg zero:i32:1
kernel void greatest(global const int *in, global atomic_int *best)
{
	int x = in[get_global_id(0)];
	if (x > atomic_load_explicit(best, memory_order_relaxed, memory_scope_device))
		atomic_fetch_max_explicit(best, x, memory_order_relaxed, memory_scope_device);
}
