// printf is no access that others could conflict with.
//! run -global 4 -local 2 -arg iota:i32:4
kernel void show(global const int *in)
{
	printf("%d: %d\n", (int)get_global_id(0), in[get_global_id(0)]);
}
