// Work-item 0 resets the counter for the next round with a plain store, while others still count in
// this one.
//! run -global 8 -local 8 -arg zero:i32:3
//! varies
kernel void rounds(global int *out)
{
	local int n;
	if (get_local_id(0) == 0)
		n = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int r = 0; r < 3; r++) {
		atomic_add(&n, r); // find E-RACE
		barrier(CLK_LOCAL_MEM_FENCE);
		if (get_local_id(0) == 0) {
			out[r] = n;
			n = 0; // find E-RACE
		}
	}
}
