// A vector of shorts, four bytes beside the place where it belongs.
//! run -global 2 -local 2 -arg zero:i16:16
kernel void store(global short *out)
{
	*(global short4 *)(out + 2 + 4 * get_global_id(0)) = (short4)(1); // find E-ALIGN
}
