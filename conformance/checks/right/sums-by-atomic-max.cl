// All results go through atomic operations; a later kernel reads them plainly.
//! run -buffer best=zero:i32:1 -kernel greatest -global 32 -local 8 -arg iota:i32:32 -arg buffer:best -then -kernel use -global 8 -arg buffer:best -arg zero:i32:8
kernel void greatest(global const int *in, global int *best)
{
	atomic_max(best, in[get_global_id(0)]);
}
kernel void use(global const int *best, global int *out)
{
	out[get_global_id(0)] = *best + (int)get_global_id(0);
}
