// The bytes of a structure are read through a pointer to char, over the borders of its members.
//! run -global 8 -local 8 -arg iota:i32:2 -arg zero:i32:8
typedef struct { int a, b; } pair;
kernel void bytes(global const pair *in, global int *out)
{
	pair p = *in;
	out[get_global_id(0)] = ((uchar *)&p)[get_global_id(0)];
}
