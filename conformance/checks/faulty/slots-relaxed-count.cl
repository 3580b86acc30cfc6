// Producers fill slots and count them with relaxed operations; a consumer reads as many.
//! run -global 4 -local 1 -arg zero:i32:4 -arg zero:u32:1 -arg zero:i32:4
//! some
kernel void slots(global int *slot, global uint *count, global int *out)
{
	size_t g = get_group_id(0);
	if (g < 3) {
		slot[g] = (int)g + 1; // find E-RACE
		atomic_inc(count);
		return;
	}
	uint n = atomic_add(count, 0);
	for (uint i = 0; i < 3 && n == 3; i++)
		out[i] = slot[i]; // find E-RACE
}
