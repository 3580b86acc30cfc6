// Several work-items set a flag to 1. All write the same value, and it is a race all the same (API,
// Memory Ordering Rules: conflicting actions, none of them atomic, unordered).
//! run -global 32 -local 16 -arg iota:i32:32 -arg zero:i32:1
kernel void find(global const int *in, global int *found)
{
	if (in[get_global_id(0)] % 5 == 0)
		*found = 1; // find E-RACE
}
