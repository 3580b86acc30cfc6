// The same with a reduction, and with global memory.
//! run -global 32 -local 16 -arg zero:i32:32 -arg zero:i32:32
kernel void normalize_all(global int *scratch, global int *out)
{
	size_t l = get_local_id(0), g = get_global_id(0);
	scratch[g] = (int)l; // find E-RACE
	int all = work_group_reduce_add((int)l);
	out[g] = all - scratch[g - l + (l + 3) % 16]; // find E-RACE
}
