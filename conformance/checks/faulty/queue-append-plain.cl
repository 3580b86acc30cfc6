// Appends to a queue whose end is a plain counter: two work-items get the same place.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16 -arg zero:i32:1
//! varies
kernel void filter(global const int *in, global int *queue, global int *end)
{
	int x = in[get_global_id(0)];
	if (x % 2 == 0) {
		int place = (*end)++; // find E-RACE
		queue[place] = x; // find E-RACE
	}
}
