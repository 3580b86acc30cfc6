// A barrier with a wider scope than needed.
//! run -global 16 -local 8 -arg zero:i32:16 -arg zero:i32:16
kernel void exchange(global int *scratch, global int *out)
{
	size_t l = get_local_id(0), base = get_group_id(0) * 8;
	scratch[base + l] = (int)l;
	work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
	out[base + l] = scratch[base + 7 - l];
}
