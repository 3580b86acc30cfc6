// A jump skips the initialization.
//! run -global 2 -local 2 -arg iota:i32:2 -arg zero:i32:2
kernel void skip(global const int *in, global int *out)
{
	int x;
	if (in[get_global_id(0)] == 1)
		goto end;
	x = 5;
end:
	out[get_global_id(0)] = x; // find E-UNINIT
}
