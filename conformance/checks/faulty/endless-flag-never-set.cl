// A work-item waits for a flag that nobody sets.
//! run -global 8 -local 8 -arg zero:i32:1 -arg zero:i32:8
kernel void wait(global atomic_int *flag, global int *out)
{
	size_t l = get_local_id(0);
	out[l] = (int)l;
	if (l == 3)
		while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0) // find E-ENDLESS
			;
}
