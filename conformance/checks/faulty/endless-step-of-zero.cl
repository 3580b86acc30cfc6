// The step of the loop becomes zero.
//! run -global 4 -local 4 -arg zero:i32:4
kernel void halve(global int *out)
{
	int i = get_global_id(0);
	for (int step = 4; i < 100; i += step) // find E-ENDLESS
		step /= 2; // find E-ENDLESS
	out[get_global_id(0)] = i;
}
