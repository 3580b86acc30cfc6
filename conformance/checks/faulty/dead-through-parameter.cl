// A function stores the address of its own array where its caller finds it.
//! run -global 2 -local 2 -arg zero:i32:2
struct row { int *data; int n; };
void fill(struct row *r, int n)
{
	int x[4];
	for (int i = 0; i < 4; i++)
		x[i] = i + n;
	r->data = x;
	r->n = 4;
}
kernel void use(global int *out)
{
	struct row r;
	fill(&r, get_global_id(0));
	int sum = 0;
	for (int i = 0; i < r.n; i++)
		sum += r.data[i]; // find E-DEAD
	out[get_global_id(0)] = sum;
}
