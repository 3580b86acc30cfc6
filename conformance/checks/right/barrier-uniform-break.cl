// All work-items leave the loop together, on a value that they share.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void search(global const int *in, global int *out)
{
	local int found;
	size_t l = get_local_id(0);
	if (l == 0)
		found = -1;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = 0; i < 8; i++) {
		if (in[l] == i && i == 5)
			found = (int)l;
		barrier(CLK_LOCAL_MEM_FENCE);
		int done = found;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (done >= 0)
			break;
	}
	out[l] = found;
}
