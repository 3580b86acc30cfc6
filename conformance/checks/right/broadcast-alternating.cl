// Two variables in turn save the second barrier.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
kernel void sums(global const int *in, global int *out)
{
	local int pivot[2];
	int sum = 0;
	for (int step = 0; step < 16; step++) {
		if (get_local_id(0) == step)
			pivot[step % 2] = in[step];
		barrier(CLK_LOCAL_MEM_FENCE);
		sum += pivot[step % 2] * (step + 1);
	}
	out[get_local_id(0)] = sum;
}
