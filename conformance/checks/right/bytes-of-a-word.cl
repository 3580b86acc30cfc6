// Four work-items write the four bytes of one word. Bytes are memory locations of their own.
//! run -global 32 -local 16 -arg zero:u8:32
kernel void bytes(global uchar *a)
{
	a[get_global_id(0)] = (uchar)(3 * get_global_id(0));
}
