// Two ways to read every fifth element of the part of a work-group.
kernel void stage(global const int *in, global int *out, local int *tile)
{
	size_t place = get_local_id(0), size = get_local_size(0);
	tile[place] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = tile[place * 5 % size];
}

kernel void direct(global const int *in, global int *out)
{
	size_t place = get_local_id(0), size = get_local_size(0);
	out[get_global_id(0)] = in[get_group_id(0) * size + place * 5 % size];
}
