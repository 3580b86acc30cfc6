// The number of iterations, each with a barrier, depends on the work-item.
//! run -global 8 -local 8 -arg zero:i32:8
kernel void staircase(global int *out)
{
	size_t l = get_local_id(0);
	for (size_t i = 0; i <= l; i++) {
		out[l] += 1;
		barrier(CLK_GLOBAL_MEM_FENCE); // find E-BARRIERPART
	}
}
