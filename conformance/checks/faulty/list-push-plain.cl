// Pushes to a linked list by reading and writing the head.
//! run -global 8 -local 4 -arg fill:i32:1:-1 -arg zero:i32:8
//! varies
kernel void push(global int *head, global int *next)
{
	int me = get_global_id(0);
	next[me] = *head; // find E-RACE
	*head = me; // find E-RACE
}
