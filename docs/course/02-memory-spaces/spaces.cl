// One variable in each of the four memories.
kernel void spaces(global const int *in, global int *out, constant int *factor, local int *shared)
{
	size_t i = get_global_id(0);
	int x = in[i];                       // private: this work-item's own
	shared[get_local_id(0)] = x * *factor; // local: this group's own
	out[i] = shared[get_local_id(0)];    // global: everybody's
}
