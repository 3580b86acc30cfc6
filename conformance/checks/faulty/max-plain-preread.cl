// "Saves" atomic operations by a plain look at the maximum first. A plain read of what others
// change atomically is a race.
//! run -global 32 -local 8 -arg iota:i32:32 -arg zero:i32:1
kernel void greatest(global const int *in, global int *best)
{
	int x = in[get_global_id(0)];
	if (x > *best) // find E-RACE
		atomic_max(best, x); // find E-RACE
}
