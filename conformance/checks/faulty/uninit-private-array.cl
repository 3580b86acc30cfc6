// An array of four elements, of which a loop sets three.
//! run -global 4 -local 4 -arg iota:i32:16 -arg zero:i32:16
kernel void reverse(global const int *in, global int *out)
{
	int a[4];
	size_t g = get_global_id(0);
	for (int i = 0; i < 3; i++)
		a[i] = in[4 * g + i];
	for (int i = 0; i < 4; i++)
		out[4 * g + i] = a[3 - i]; // find E-UNINIT
}
