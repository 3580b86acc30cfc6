// The racing access goes through a generic pointer to local memory.
//! run -global 8 -local 8 -arg zero:i32:8
void bump(int *p) { *p += 1; } // find E-RACE
kernel void count(global int *out)
{
	local int n;
	if (get_local_id(0) == 0)
		n = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	bump(&n);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_local_id(0)] = n;
}
