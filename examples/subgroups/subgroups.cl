// What work-items of a sub-group can do for each other without memory. No result depends
// on how many a sub-group has.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL FP_CONTRACT OFF

// out[g] is the sum of work-group g: a sum in every sub-group, and one atomic for each.
kernel void sum(global const uint *in, global uint *out) {
  uint s = sub_group_reduce_add(in[get_global_id(0)]);
  if (get_sub_group_local_id() == 0)
    atomic_add(&out[get_group_id(0)], s);
}

// Prefix sums of each work-group. parts has a word for each sub-group.
kernel void prefix(global const uint *in, global uint *out, local uint *parts) {
  uint s = sub_group_scan_inclusive_add(in[get_global_id(0)]);
  if (get_sub_group_local_id() == get_sub_group_size() - 1)
    parts[get_sub_group_id()] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = 0; j < get_sub_group_id(); j++)
    s += parts[j];
  out[get_global_id(0)] = s;
}

// What is left of in when elements that are 0 go away, in order, for one work-group.
kernel void compact(global const uint *in, global uint *out, global uint *count, local uint *parts) {
  uint x = in[get_global_id(0)];
  uint4 keep = sub_group_ballot(x != 0);
  uint at = sub_group_ballot_exclusive_scan(keep);
  if (get_sub_group_local_id() == 0)
    parts[get_sub_group_id()] = sub_group_ballot_bit_count(keep);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = 0; j < get_sub_group_id(); j++)
    at += parts[j];
  if (x != 0)
    out[at] = x;
  if (get_global_id(0) == get_global_size(0) - 1)
    *count = at + (x != 0);
}

// Work-items whose element is not 0 take tickets: numbers from *next on, each once. One
// work-item of a sub-group fetches those of all.
kernel void tickets(global const uint *in, global uint *next, global uint *ticket) {
  int want = in[get_global_id(0)] != 0;
  uint4 all = sub_group_ballot(want);
  uint first = 0;
  if (get_sub_group_local_id() == 0)
    first = atomic_add(next, sub_group_ballot_bit_count(all));
  first = sub_group_broadcast(first, 0);
  if (want)
    ticket[get_global_id(0)] = first + sub_group_ballot_exclusive_scan(all);
}

// c = a * b for square matrices of n columns. A sub-group loads a piece of a row of a, one
// element a lane, and passes it around; work-groups are parts of rows.
kernel void matmul(global const float *a, global const float *b, global float *c, uint n) {
  uint col = get_global_id(0), row = get_global_id(1);
  uint lane = get_sub_group_local_id(), size = get_sub_group_size();
  float s = 0;
  for (uint k = 0; k < n; k += size) {
    float piece = k + lane < n ? a[row * n + k + lane] : 0.0f;
    for (uint j = 0; j < size && k + j < n; j++)
      s += sub_group_shuffle(piece, j) * b[(k + j) * n + col];
  }
  c[row * n + col] = s;
}
