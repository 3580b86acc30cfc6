// Group functions as compilers see them, for subgroup_test.go; build.sh makes
// O0.spv and O2.spv of this file.

// Each work-item for which runs is set stores N results, the others none.

kernel void shuffles(global uint *out, global const uint *in, global const uint *lane, global const uint *runs)
{
	size_t i = get_global_id(0);
	if (!runs[i])
		return;
	uint x = in[i], l = lane[i];
	out += i * 8;
	out[0] = intel_sub_group_shuffle(x, l);
	out[1] = intel_sub_group_shuffle_down(x, x + 1000, l);
	out[2] = intel_sub_group_shuffle_up(x + 1000, x, l);
	out[3] = intel_sub_group_shuffle_xor(x, l);
	uint8 v = (uint8)(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7);
	v = intel_sub_group_shuffle(v, l);
	out[4] = v.s0 + v.s7;
	out[5] = as_uint(intel_sub_group_shuffle(as_float(x), l));
	out[6] = (uint)intel_sub_group_shuffle((ulong)x << 8, l);
	out[7] = intel_sub_group_shuffle((ushort)x, l);
}

kernel void nonuniform(global uint *out, global const uint *in, global const uint *lane, global const uint *runs)
{
	size_t i = get_global_id(0);
	uint x = in[i], l = lane[i];
	out += i * 12;
	if (runs[i]) {
		out[0] = sub_group_elect();
		out[1] = sub_group_non_uniform_all(x & 1);
		out[2] = sub_group_non_uniform_any(x & 1);
		out[3] = sub_group_non_uniform_reduce_add(x);
		out[4] = sub_group_non_uniform_scan_inclusive_min((int)x);
		out[5] = sub_group_non_uniform_scan_exclusive_xor(x);
		uint4 b = sub_group_ballot(x & 1);
		out[6] = b.x;
		out[7] = sub_group_ballot_bit_count(b);
		out[8] = sub_group_broadcast_first(x);
		out[9] = sub_group_shuffle(x, l);
		out[10] = sub_group_shuffle_down(x, 1);
		out[11] = sub_group_clustered_reduce_max(x, 4);
	}
}

kernel void uniform_sub(global uint *out, global const uint *in)
{
	size_t i = get_global_id(0);
	uint x = in[i];
	out += i * 8;
	out[0] = sub_group_reduce_add(x);
	out[1] = sub_group_scan_inclusive_max(x);
	out[2] = sub_group_scan_exclusive_add(x);
	out[3] = sub_group_any(x == 3);
	out[4] = sub_group_all(x < 100);
	out[5] = sub_group_broadcast(x, 0);
	out[6] = as_uint(sub_group_reduce_min((float)x));
	out[7] = get_sub_group_size() * 1000 + get_sub_group_local_id();
}

kernel void uniform_work(global uint *out, global const uint *in)
{
	size_t i = get_global_id(0);
	uint x = in[i];
	out += i * 7;
	out[0] = work_group_reduce_add(x);
	out[1] = work_group_scan_inclusive_max(x);
	out[2] = work_group_scan_exclusive_add(x);
	out[3] = work_group_any(x == 3);
	out[4] = work_group_all(x < 100);
	out[5] = work_group_broadcast(x, 2);
	out[6] = as_uint(work_group_scan_inclusive_add((float)x * 0.1f));
}

// Whole sub-groups only.
kernel void blocks(global uint *out, global const uint *in)
{
	size_t first = get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size();
	uint4 v = intel_sub_group_block_read4(in + first * 4);
	intel_sub_group_block_write4(out + first * 4, v * 2 + (uint4)(0, 1, 2, 3));
}

kernel void blocks_short(global ushort *out, global const ushort *in)
{
	size_t first = get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size();
	ushort8 v = intel_sub_group_block_read_us8(in + first * 8);
	intel_sub_group_block_write_us8(out + first * 8, v + (ushort8)(0, 1, 2, 3, 4, 5, 6, 7));
}

// What is undefined.

kernel void lane_absent(global uint *out)
{
	uint l = get_sub_group_local_id();
	if (l != 3)
		out[get_global_id(0)] = 7 + intel_sub_group_shuffle(l, 3u);
}

kernel void lane_range(global uint *out, uint lane)
{
	out[get_global_id(0)] = 7 + intel_sub_group_shuffle((uint)get_sub_group_local_id(), lane);
}

kernel void window_range(global uint *out, uint delta)
{
	uint l = get_sub_group_local_id() + 1;
	out[get_global_id(0)] = 7 + intel_sub_group_shuffle_up(l, l, delta);
}

kernel void sub_diverged(global uint *out)
{
	if (get_sub_group_local_id() < 2)
		out[get_global_id(0)] = sub_group_reduce_add(1u);
}

kernel void work_diverged(global uint *out)
{
	if (get_local_id(0) < 2)
		out[get_global_id(0)] = work_group_reduce_add(1u);
	barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void work_ended(global uint *out)
{
	if (get_local_id(0) < 2)
		return;
	out[get_global_id(0)] = work_group_reduce_add(1u);
}

kernel void broadcast_differs(global uint *out)
{
	out[get_global_id(0)] = 7 + sub_group_broadcast((uint)get_sub_group_local_id(), (uint)get_sub_group_local_id());
}

kernel void block_diverged(global uint *out, global const uint *in)
{
	if (get_sub_group_local_id() != 1)
		out[get_global_id(0)] = 7 + intel_sub_group_block_read(in);
}

kernel void block_read(global uint *out, global const ushort *in, uint offset)
{
	out[get_global_id(0)] = 7 + intel_sub_group_block_read_us(in + offset);
}

kernel void block_write(global uint *out, uint offset)
{
	intel_sub_group_block_write(out + offset, 7u);
}

kernel void item_range(global uint *out, uint item)
{
	out[get_global_id(0)] = 7 + work_group_broadcast((uint)get_local_id(0), item);
}
