// A stack in private memory without a look at its height.
//! run -global 1 -local 1 -arg zero:i32:1
kernel void stack(global int *out)
{
	int s[4], top = 0;
	for (int i = 0; i < 6; i++)
		s[top++] = i; // find E-OOB
	*out = s[0];
}
