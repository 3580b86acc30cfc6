// The middle between two indices as (a + b) / 2.
//! run -global 1 -local 1 -arg i32:2000000000 -arg i32:2000000002 -arg zero:i32:1
kernel void middle(int a, int b, global int *out)
{
	*out = (a + b) / 2; // find E-OVERFLOW
}
