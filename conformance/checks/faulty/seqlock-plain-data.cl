// A sequence lock: the reader reads plain data and throws it away if the sequence has changed. The
// read is a race in any case.
//! run -global 2 -local 1 -arg zero:u32:1 -arg zero:i32:2 -arg zero:i32:2
kernel void seqlock(global atomic_uint *seq, global int *data, global int *out)
{
	if (get_group_id(0) == 0) {
		atomic_fetch_add_explicit(seq, 1, memory_order_acq_rel, memory_scope_device);
		data[0] = 1; // find E-RACE
		data[1] = 2; // find E-RACE
		atomic_fetch_add_explicit(seq, 1, memory_order_acq_rel, memory_scope_device);
	} else {
		uint before = atomic_load_explicit(seq, memory_order_relaxed, memory_scope_device);
		int a = data[0], b = data[1]; // find E-RACE
		uint after = atomic_load_explicit(seq, memory_order_relaxed, memory_scope_device);
		if (before == after && before % 2 == 0)
			out[0] = a + b;
	}
}
