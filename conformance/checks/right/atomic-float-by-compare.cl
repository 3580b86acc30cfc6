// A sum of floats by compare and exchange on its bits.
//! run -global 8 -local 4 -arg fill:f32:8:0.5 -arg zero:u32:1
kernel void sum(global const float *in, global atomic_uint *total)
{
	uint seen = atomic_load_explicit(total, memory_order_relaxed, memory_scope_device);
	while (!atomic_compare_exchange_strong_explicit(total, &seen, as_uint(as_float(seen) + in[get_global_id(0)]),
													memory_order_relaxed, memory_order_relaxed, memory_scope_device))
		;
}
