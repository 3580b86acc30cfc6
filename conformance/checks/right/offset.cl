// A launch with an offset: ids start at it.
//! run -global 8 -local 4 -offset 8 -arg zero:i32:16
kernel void upper(global int *out)
{
	out[get_global_id(0)] = (int)get_global_id(0);
}
