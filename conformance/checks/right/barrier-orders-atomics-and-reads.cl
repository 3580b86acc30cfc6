// Atomic updates before the barrier, plain reads behind it.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void total(global const int *in, global int *out)
{
	local int sum;
	if (get_local_id(0) == 0)
		sum = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&sum, in[get_local_id(0)]);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_local_id(0)] = sum + in[get_local_id(0)];
}
