// Bits of a word that many work-items share, set atomically.
//! run -global 64 -local 16 -arg iota:i32:64 -arg zero:u32:2
kernel void mark(global const int *in, global uint *bits)
{
	size_t i = get_global_id(0);
	if (in[i] % 3 == 0)
		atomic_or(&bits[i / 32], 1u << (i % 32));
}
