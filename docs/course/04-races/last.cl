// Which work-item comes last?
kernel void last(global int *out)
{
	*out = get_global_id(0);
}
