// Half of the work-items run into a barrier that the others never reach.
//! run -global 16 -local 16 -arg zero:i32:16
kernel void lower_half(global int *out)
{
	size_t l = get_local_id(0);
	if (l < 8) {
		out[l] = 1;
		barrier(CLK_GLOBAL_MEM_FENCE); // find E-BARRIERPART
	}
}
