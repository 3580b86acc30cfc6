// A function returns the address of its own variable.
//! run -global 2 -local 2 -arg zero:i32:2
int *largest(int a, int b)
{
	int x[2];
	x[0] = a;
	x[1] = b;
	return a > b ? &x[0] : &x[1];
}
kernel void use(global int *out)
{
	int *p = largest(get_global_id(0), 1);
	out[get_global_id(0)] = *p; // find E-DEAD
}
