// A pointer to a scalar of a block that has ended, which another scalar follows.
//! run -global 2 -local 2 -arg zero:i32:2
kernel void keep(global int *out)
{
	int i = get_global_id(0);
	int *p = &i;
	if (i < 5) {
		int x = i + 1;
		p = &x;
	}
	out[i] = *p; // find E-DEAD
}
