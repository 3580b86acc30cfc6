// The barrier behind a loop has the flag of global memory, the array is local.
//! run -global 8 -local 8 -arg zero:i32:8
kernel void fill(global int *out)
{
	local int s[16];
	int l = get_local_id(0);
	for (int y = 0; y < 2; y++)
		s[8 * y + l] = y + l; // find E-RACE
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[l] = s[15 - l]; // find E-RACE
}
