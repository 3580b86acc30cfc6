// Searches the least element by comparing and storing without an atomic operation.
//! run -global 16 -local 16 -arg buf:i32:9,8,7,6,5,4,3,2,1,2,3,4,5,6,7,8 -arg fill:i32:1:100
kernel void least(global const int *in, global int *best)
{
	int x = in[get_global_id(0)];
	if (x < *best) // find E-RACE
		*best = x; // find E-RACE
}
