kernel void brighter(global const int *in, global int *out)
{
	out[get_global_id(0)] = in[get_global_id(0)] + 10;
}
