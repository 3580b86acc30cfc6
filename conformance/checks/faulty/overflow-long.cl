// A product of long that does not fit.
//! run -global 1 -local 1 -arg i64:0x100000000 -arg zero:i64:1
kernel void product(long a, global long *out)
{
	*out = a * a; // find E-OVERFLOW
}
