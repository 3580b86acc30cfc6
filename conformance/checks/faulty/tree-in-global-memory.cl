// A reduction over a buffer whose barrier has the flag of local memory.
//! run -global 16 -local 16 -arg iota:i32:16
kernel void sum(global int *a)
{
	size_t l = get_local_id(0);
	for (size_t h = 8; h > 0; h /= 2) {
		if (l < h)
			a[l] += a[l + h]; // find E-RACE
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
