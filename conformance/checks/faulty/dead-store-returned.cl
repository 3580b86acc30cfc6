// A function returns a pointer to its own variable, and the kernel stores through it.
//! run -global 2 -local 2 -arg zero:i32:2
static int *cell(int i)
{
	int x[2];
	x[0] = i;
	x[1] = -i;
	return &x[i & 1];
}

kernel void keep(global int *out)
{
	int i = get_global_id(0);
	*cell(i) = 4; // find E-DEAD
	out[i] = i;
}
