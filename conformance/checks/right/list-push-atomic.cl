// Pushes to a list by an exchange of the head. The order differs, the list is whole.
//! run -global 8 -local 4 -arg fill:i32:1:-1 -arg zero:i32:8
//! varies
kernel void push(global int *head, global int *next)
{
	int me = get_global_id(0);
	next[me] = atomic_xchg(head, me);
}
