// The race is in a function that is called through another one, once with the neighbour's index.
//! run -global 8 -local 8 -arg zero:i32:9
void put(global int *p, int v) { *p = v; } // find E-RACE
void put_both(global int *a, size_t i)
{
	put(a + i, 1);
	put(a + i + 1, 2);
}
kernel void twice(global int *a) { put_both(a, get_global_id(0)); }
