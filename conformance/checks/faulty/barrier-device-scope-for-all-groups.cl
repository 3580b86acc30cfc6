// A wider scope of the barrier makes no work-item of another group wait.
//! run -global 32 -local 8 -arg zero:i32:32 -arg zero:i32:32
kernel void next_group(global int *scratch, global int *out)
{
	size_t g = get_global_id(0), n = get_global_size(0);
	scratch[g] = (int)g; // find E-RACE
	work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
	out[g] = scratch[(g + get_local_size(0)) % n]; // find E-RACE
}
