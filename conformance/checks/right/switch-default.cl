// All cases set the variable.
//! run -global 4 -local 4 -arg iota:i32:4 -arg zero:i32:4
kernel void names(global const int *in, global int *out)
{
	int x;
	switch (in[get_global_id(0)]) {
	case 0: x = 10; break;
	case 1: x = 20; break;
	default: x = 30;
	}
	out[get_global_id(0)] = x;
}
