// A pointer to a variable of a block, used inside of it, in every iteration a new one.
//! run -global 2 -local 2 -arg zero:i32:2
kernel void keep(global int *out)
{
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		int x[2];
		int *p = x;
		p[0] = i;
		p[1] = i + (int)get_global_id(0);
		sum += p[0] * p[1];
	}
	out[get_global_id(0)] = sum;
}
