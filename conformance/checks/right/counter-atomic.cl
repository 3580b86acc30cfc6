// All work-items of all groups count atomically; nobody reads.
//! run -global 32 -local 8 -arg zero:u32:1
kernel void count(global uint *n)
{
	atomic_inc(n);
}
