// One work-item clears a counter, its group's barrier orders that for its group only, and all groups count.
//! run -global 8 -local 4 -arg zero:i32:1
kernel void count(global int *counter)
{
	if (get_global_id(0) == 0)
		*counter = 0;
	barrier(CLK_GLOBAL_MEM_FENCE);
	atomic_inc(counter); // find E-RACE
}
