// One element past an array inside a structure is the member behind it.
//! run -global 5 -local 5 -arg iota:i32:5 -arg zero:i32:5
typedef struct { int key[4]; int count; } bucket;
kernel void fill(global const int *in, global int *out)
{
	bucket b;
	for (int i = 0; i < 4; i++)
		b.key[i] = i;
	b.count = 0;
	int i = in[get_global_id(0)];
	b.key[i] = 9; // find E-INDEX
	out[get_global_id(0)] = b.count;
}
