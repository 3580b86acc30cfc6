// A function returns one of the pointers that it got; the variables live on in the caller.
//! run -global 2 -local 2 -arg zero:i32:2
int *larger(int *a, int *b) { return *a > *b ? a : b; }
kernel void use(global int *out)
{
	int x = (int)get_global_id(0), y = 1 - x;
	*larger(&x, &y) += 10;
	out[get_global_id(0)] = x - y;
}
