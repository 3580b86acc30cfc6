// The kernel of step 3 without its barrier: a data race.
kernel void reverse(global const int *in, global int *out, local int *tile)
{
	int place = get_local_id(0);
	int last = get_local_size(0) - 1;
	tile[place] = in[get_global_id(0)];
	out[get_global_id(0)] = tile[last - place];
}
