// All wait at a barrier, again and again, for what nobody writes.
//! run -global 8 -local 8 -arg zero:i32:8
kernel void wait(global int *out)
{
	local int done;
	size_t l = get_local_id(0);
	if (l == 0)
		done = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	while (!done) // find E-ENDLESS
		barrier(CLK_LOCAL_MEM_FENCE); // find E-ENDLESS
	out[l] = done;
}
