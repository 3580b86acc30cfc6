// Scatters by an index list that has an index twice.
//! run -global 8 -local 8 -arg buf:i32:3,1,4,0,5,1,2,6 -arg zero:i32:8
kernel void scatter(global const int *where, global int *out)
{
	out[where[get_global_id(0)]] = (int)get_global_id(0); // find E-RACE
}
