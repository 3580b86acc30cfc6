// Copies whole structures to their neighbours, in place.
//! run -global 7 -local 7 -arg iota:i32:32
typedef struct { int a, b, c, d; } item;
kernel void move_up(global item *v)
{
	size_t i = get_global_id(0);
	v[i + 1] = v[i]; // find E-RACE
}
