// A function with scratch memory that ends with a barrier behind the last read.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
int total(local int *scratch, int x)
{
	size_t l = get_local_id(0);
	scratch[l] = x;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (size_t h = 8; h > 0; h /= 2) {
		if (l < h)
			scratch[l] += scratch[l + h];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	int sum = scratch[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	return sum;
}
kernel void stats(global const int *in, global int *out)
{
	local int scratch[16];
	int x = in[get_local_id(0)];
	int sum = total(scratch, x);
	int squares = total(scratch, x * x);
	out[get_local_id(0)] = sum + squares;
}
