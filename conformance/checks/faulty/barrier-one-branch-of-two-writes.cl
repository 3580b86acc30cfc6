// The second write of the loop body comes after the last barrier of the iteration, and the next
// iteration reads it first.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void rounds(global const int *in, global int *out)
{
	local int a[8], b[8];
	size_t l = get_local_id(0);
	a[l] = in[l];
	b[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		sum += b[(l + 1) % 8]; // find E-RACE
		barrier(CLK_LOCAL_MEM_FENCE);
		b[l] = sum + a[l]; // find E-RACE
	}
	out[l] = sum;
}
