// The interior is loaded before the barrier, the two halo cells behind it.
//! run -global 32 -local 16 -arg iota:i32:34 -arg zero:i32:32
kernel void blur(global const int *in, global int *out)
{
	local int row[18];
	size_t l = get_local_id(0), g = get_global_id(0);
	row[l + 1] = in[g + 1];
	if (l == 0) {
		row[0] = 0;
		row[17] = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) {
		row[0] = in[g];
		row[17] = in[g + 17]; // find E-RACE
	}
	out[g] = row[l] + row[l + 1] + row[l + 2]; // find E-RACE
}
