// Exercise 3.1: read what a neighbour has written
//
// Each work-group reverses its own part of the elements, by way of local memory. A work-item
// reads from tile what another one has written. Make sure that it has.

kernel void reverse(global const int *in, global int *out, local int *tile)
{
	size_t place = get_local_id(0), last = get_local_size(0) - 1;
	tile[place] = in[get_global_id(0)];
	out[get_global_id(0)] = tile[last - place];
}
