// Stores through pointers to variables of blocks and functions while these run, again and again: a variable lives anew
// in each iteration and in each call.
//! run -global 2 -local 2 -arg zero:i32:8
static void set(int *p, int v)
{
	int scale[2];
	int *s = scale;
	s[v & 1] = 2;
	p[v & 1] = v * s[v & 1];
}

kernel void keep(global int *out)
{
	int outer[2];
	int *p = outer;
	for (int i = 0; i < 4; i++) {
		int x[2];
		int *q = i & 1 ? x : p;
		q[i & 1] = i;
		set(q, i);
		out[get_global_id(0) * 4 + i] = q[i & 1];
		p = outer;
	}
	p[1] = 1;
}
