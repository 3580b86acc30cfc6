// A three-dimensional launch that uses each element once.
//! run -global 4,2,3 -local 2,2,1 -arg zero:i32:24
kernel void cube(global int *out)
{
	size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	out[(z * 2 + y) * 4 + x] = (int)(x + 10 * y + 100 * z);
}
