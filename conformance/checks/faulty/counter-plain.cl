// All work-items of all groups increment one counter.
//! run -global 32 -local 8 -arg zero:u32:1
kernel void count(global uint *n)
{
	(*n)++; // find E-RACE
}
