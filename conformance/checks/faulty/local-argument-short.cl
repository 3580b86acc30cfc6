// The host gave bytes where the kernel counts elements.
//! run -global 8 -local 8 -arg local:8 -arg zero:i32:8
kernel void reverse(local int *s, global int *out)
{
	int l = get_local_id(0);
	s[l] = l; // find E-OOB
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = 1;
}
