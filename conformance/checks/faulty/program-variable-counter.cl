// A counter with program scope, without atomic operations.
//! run -global 8 -local 2 -arg zero:i32:8
//! varies
global int calls = 0;
kernel void count(global int *out)
{
	out[get_global_id(0)] = calls++; // find E-RACE
}
