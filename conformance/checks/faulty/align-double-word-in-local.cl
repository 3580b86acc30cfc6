// A long in a local array of ints, at an odd element.
//! run -global 4 -local 4 -arg zero:i64:4
kernel void words(global long *out)
{
	local int s[16];
	int l = get_local_id(0);
	local long *p = (local long *)(s + 4 * l + 1);
	*p = l; // find E-ALIGN
	out[l] = 1;
}
