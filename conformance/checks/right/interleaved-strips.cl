// Strided writes that interleave without meeting.
//! run -global 8 -local 4 -arg zero:i32:32
kernel void fill(global int *out)
{
	for (size_t i = get_global_id(0); i < 32; i += get_global_size(0))
		out[i] = (int)i;
}
