// The same with atomic_flag.
//! run -global 4 -local 1 -arg zero:i32:1 -arg zero:i32:1
kernel void add(global atomic_flag *lock, global int *sum)
{
	while (atomic_flag_test_and_set_explicit(lock, memory_order_seq_cst, memory_scope_device))
		;
	*sum += 2;
	atomic_flag_clear_explicit(lock, memory_order_seq_cst, memory_scope_device);
}
