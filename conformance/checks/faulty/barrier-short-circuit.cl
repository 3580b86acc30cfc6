// A function with a barrier stands behind &&, so that only some work-items call it.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
int meet(int x)
{
	barrier(CLK_LOCAL_MEM_FENCE); // find E-BARRIERPART
	return x;
}
kernel void both(global const int *in, global int *out)
{
	size_t l = get_local_id(0);
	out[l] = in[l] > 3 && meet(in[l]);
}
