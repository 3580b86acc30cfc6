// A pointer to a variable of a block that has ended, and a store through it.
//! run -global 2 -local 2 -arg zero:i32:2
kernel void keep(global int *out)
{
	int *p = 0;
	for (int i = 0; i < 2; i++) {
		int x[2];
		x[0] = i;
		x[1] = i + (int)get_global_id(0);
		p = x;
		out[get_global_id(0)] = p[1];
	}
	p[get_local_id(0)] = 3; // find E-DEAD
}
