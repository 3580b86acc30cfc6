// An atomic counter with program scope.
//! run -global 8 -local 2 -arg zero:i32:8
//! varies
global atomic_int calls = 0;
kernel void count(global int *out)
{
	out[get_global_id(0)] = atomic_fetch_add(&calls, 1);
}
