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
	out[at++] = get_global_linear_id();
}
