// All elements of an array in a structure.
//! run -global 4 -local 4 -arg iota:i32:20 -arg zero:i32:4
typedef struct { int key[4]; int count; } bucket;
kernel void sums(global const bucket *in, global int *out)
{
	bucket b = in[get_global_id(0)];
	int sum = b.count;
	for (int i = 0; i < 4; i++)
		sum += b.key[i];
	out[get_global_id(0)] = sum;
}
