// One work-item of eight increments the counter without an atomic operation.
//! run -global 8 -local 8 -arg zero:u32:1
//! varies
kernel void count(global uint *n)
{
	if (get_local_id(0) == 5)
		*n += 1; // find E-RACE
	else
		atomic_inc(n); // find E-RACE
}
