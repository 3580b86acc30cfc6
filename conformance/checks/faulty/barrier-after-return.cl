// The work-items beyond n return before the barrier.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16 -arg i32:13
kernel void reverse(global const int *in, global int *out, int n)
{
	local int tile[16];
	int l = get_local_id(0);
	if (l >= n)
		return;
	tile[l] = in[l];
	barrier(CLK_LOCAL_MEM_FENCE); // find E-BARRIERPART
	out[l] = tile[n - 1 - l];
}
