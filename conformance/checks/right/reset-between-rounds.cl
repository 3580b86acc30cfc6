// The counter is read and reset by one work-item between two barriers.
//! run -global 8 -local 8 -arg zero:i32:3
kernel void rounds(global int *out)
{
	local int n;
	if (get_local_id(0) == 0)
		n = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int r = 0; r < 3; r++) {
		atomic_add(&n, r);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (get_local_id(0) == 0) {
			out[r] = n;
			n = 0;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
