// work_group_broadcast wants the same index from all work-items.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void rotate_all(global const int *in, global int *out)
{
	size_t l = get_local_id(0);
	out[l] = work_group_broadcast(in[l], (l + 1) % 8); // find E-GROUPUNIFORM
}
