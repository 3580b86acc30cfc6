// Unsigned arithmetic wraps around: that is what hashes count on.
//! run -global 8 -local 8 -arg iota:u32:8 -arg zero:u32:8
kernel void hash(global const uint *in, global uint *out)
{
	uint h = 2166136261u;
	for (int i = 0; i < 4; i++)
		h = (h ^ in[get_global_id(0)]) * 16777619u;
	out[get_global_id(0)] = h - 0xfffffff0u;
}
