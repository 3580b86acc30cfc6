// Work-item 0 alone writes; nobody reads.
//! run -global 32 -local 32 -arg zero:i32:1
kernel void size(global int *out)
{
	if (get_global_id(0) == 0)
		*out = (int)get_global_size(0);
}
