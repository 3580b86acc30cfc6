// One work-item writes, its group's barrier orders that for its group only, and all groups read.
//! run -global 8 -local 4 -arg zero:i32:1 -arg zero:i32:8
kernel void spread(global int *data, global int *out)
{
	int i = get_global_id(0);
	if (i == 0)
		*data = 1; // find E-RACE
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[i] = *data;
}
