// Components by a variable index that stays below four.
//! run -global 8 -local 8 -arg zero:i32:8
kernel void components(global int *out)
{
	int4 v = (int4)(5, 6, 7, 8);
	out[get_global_id(0)] = v[get_global_id(0) % 4];
}
