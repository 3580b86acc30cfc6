// A shared value in a loop, with a barrier behind the reads too.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
kernel void sums(global const int *in, global int *out)
{
	local int pivot;
	int sum = 0;
	for (int step = 0; step < 16; step++) {
		if (get_local_id(0) == step)
			pivot = in[step];
		barrier(CLK_LOCAL_MEM_FENCE);
		sum += pivot * (step + 1);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_local_id(0)] = sum;
}
