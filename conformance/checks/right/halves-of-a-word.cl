// Two shorts of a word, written by work-items of different groups.
//! run -global 16 -local 1 -arg zero:i16:16
kernel void shorts(global short *a)
{
	a[get_global_id(0)] = (short)-get_global_id(0);
}
