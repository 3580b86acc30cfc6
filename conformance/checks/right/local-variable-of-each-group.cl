// Each work-group has local memory of its own under the same name.
//! run -global 32 -local 4 -arg zero:i32:32
kernel void own(global int *out)
{
	local int x;
	if (get_local_id(0) == 0)
		x = (int)get_group_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = x;
}
