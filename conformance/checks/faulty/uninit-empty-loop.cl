// The last element is remembered, but the loop may run no times.
//! run -global 4 -local 4 -arg iota:i32:4 -arg zero:i32:4
kernel void last(global const int *n, global int *out)
{
	int last;
	for (int i = 0; i < n[get_global_id(0)]; i++)
		last = i;
	out[get_global_id(0)] = last; // find E-UNINIT
}
