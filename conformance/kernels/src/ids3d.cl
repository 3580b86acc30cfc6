// All work-item functions in three dimensions, with global offsets, and with
// work-groups at the ends that are smaller than the others.
// addressing: 32

kernel void ids3d(global uint *out)
{
	uint i = get_global_linear_id();
	uint at = i * 24;
	for (uint d = 0; d < 3; d++) {
		out[at++] = get_global_id(d);
		out[at++] = get_local_id(d);
		out[at++] = get_group_id(d);
		out[at++] = get_local_size(d);
		out[at++] = get_enqueued_local_size(d);
		out[at++] = get_num_groups(d);
		out[at++] = get_global_size(d) + get_global_offset(d) * 1000;
	}
	out[at++] = get_local_linear_id();
	out[at++] = get_work_dim();
	out[at++] = (uint)(get_global_id(3) + get_global_size(3) * 2 + get_local_size(3) * 4 + get_num_groups(4) * 8 + get_group_id(7));
}
