// The work-item functions of OpenCL C 1.2 in every dimension, with offsets; the
// dimension is data.
// addressing: 32

kernel void ids(global uint *out, global const uint *dims)
{
	uint w = get_global_size(0), h = get_global_size(1);
	uint x = get_global_id(0) - get_global_offset(0);
	uint y = get_global_id(1) - get_global_offset(1);
	uint z = get_global_id(2) - get_global_offset(2);
	uint i = (z * h + y) * w + x;
	uint d = dims[i & 3];
	out[4 * i] = get_global_id(d) * 100 + get_local_id(d);
	out[4 * i + 1] = get_group_id(d) * 100 + get_num_groups(d);
	out[4 * i + 2] = get_global_size(d) * 100 + get_local_size(d);
	out[4 * i + 3] = get_global_offset(d) * 10 + get_work_dim();
}
