// The barrier orders local memory only, but the work-items of the group exchange values through a
// buffer.
//! run -global 32 -local 16 -arg zero:i32:32 -arg zero:i32:32
kernel void neighbour(global int *scratch, global int *out)
{
	size_t l = get_local_id(0), base = get_group_id(0) * 16;
	scratch[base + l] = (int)(l * l); // find E-RACE
	barrier(CLK_LOCAL_MEM_FENCE);
	out[base + l] = scratch[base + (l + 1) % 16]; // find E-RACE
}
