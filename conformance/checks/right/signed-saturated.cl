// Signed functions that saturate or are defined on overflow.
//! run -global 2 -local 2 -arg buf:i32:2147483647,-2147483648 -arg zero:i32:2
kernel void saturate(global const int *in, global int *out)
{
	int x = in[get_global_id(0)];
	out[get_global_id(0)] = add_sat(x, 1) ^ sub_sat(x, 1) ^ (int)abs(x) ^ hadd(x, x) ^ mul_hi(x, x);
}
