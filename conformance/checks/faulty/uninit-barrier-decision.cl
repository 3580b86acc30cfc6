// Whether there is a barrier depends on a variable that was never set.
//! run -global 4 -local 4 -arg zero:i32:4
kernel void maybe(global int *out)
{
	int wanted;
	if (wanted & 4) // find E-UNINIT
		barrier(CLK_GLOBAL_MEM_FENCE);
	out[get_global_id(0)] = 3;
}
