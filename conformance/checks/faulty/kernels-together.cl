// Two kernels of a set share a buffer; one writes what the other reads, and nothing orders them.
//! run -buffer b=zero:i32:4 -kernel fill -global 4 -arg buffer:b -with -kernel use -global 4 -arg buffer:b -arg zero:i32:4
kernel void fill(global int *b) { b[get_global_id(0)] = 1; } // find E-RACE
kernel void use(global const int *b, global int *out)
{
	out[get_global_id(0)] = b[get_global_id(0)]; // find E-RACE
}
