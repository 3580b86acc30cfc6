// The sum starts with whatever the variable held.
//! run -global 4 -local 4 -arg iota:i32:16 -arg zero:i32:4
kernel void rows(global const int *in, global int *out)
{
	size_t g = get_global_id(0);
	int sum;
	for (int i = 0; i < 4; i++)
		sum += in[4 * g + i];
	out[g] = sum; // find E-UNINIT
}
