// A counter of all groups whose operations have the scope of a work-group (API, Memory Ordering
// Rules: conflicting actions without inclusive scopes race, though both are atomic).
//! run -global 16 -local 4 -arg zero:u32:1
kernel void count(global atomic_uint *n)
{
	atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_work_group); // find E-RACE
}
