// What sub-groups are used for: reductions and scans without a tree of barriers,
// compaction and sorting by ballots, one atomic for many work-items, and a matrix
// product that moves a row through the lanes. No result depends on how many
// work-items a sub-group has.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL FP_CONTRACT OFF

// One sum a work-group, as reduce_u32 has it. parts has a word for each sub-group.
kernel void sg_reduce(global const uint *in, global uint *out, local uint *parts, uint n) {
  uint sum = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    sum += in[i];
  sum = sub_group_reduce_add(sum);
  if (get_sub_group_local_id() == 0)
    parts[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    uint total = 0;
    for (uint i = 0; i < get_num_sub_groups(); i++)
      total += parts[i];
    out[get_group_id(0)] = total;
  }
}

// The same by halves: lanes take the sum of the one that is half as far each time. A
// partial sub-group lacks some of those.
kernel void sg_reduce_shuffle(global const uint *in, global uint *out, local uint *parts, uint n) {
  uint sum = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    sum += in[i];
  uint lane = get_sub_group_local_id(), size = get_sub_group_size(), max = get_max_sub_group_size();
  if (size >= max) { // so that the steps stay what they are for every lane
    for (uint step = max / 2; step > 0; step /= 2)
      sum += sub_group_shuffle_xor(sum, step);
  } else {
    for (uint step = max / 2; step > 0; step /= 2) {
      uint other = sub_group_shuffle_down(sum, step);
      sum += lane + step < size ? other : 0;
    }
  }
  if (lane == 0)
    parts[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    uint total = 0;
    for (uint i = 0; i < get_num_sub_groups(); i++)
      total += parts[i];
    out[get_group_id(0)] = total;
  }
}

// Inclusive prefix sums of each work-group.
kernel void sg_scan(global const uint *in, global uint *out, local uint *parts) {
  uint i = get_global_id(0);
  uint sum = sub_group_scan_inclusive_add(in[i]);
  if (get_sub_group_local_id() == get_sub_group_size() - 1)
    parts[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = 0; j < get_sub_group_id(); j++)
    sum += parts[j];
  out[i] = sum;
}

// c = a * b for square matrices of n columns. A sub-group holds a piece of a row of a,
// one element a lane, and passes it around.
kernel void sg_matmul(global const float *a, global const float *b, global float *c, uint n) {
  uint col = get_global_id(0), row = get_global_id(1);
  uint lane = get_sub_group_local_id(), size = get_sub_group_size();
  float sum = 0;
  for (uint k = 0; k < n; k += size) {
    float piece = k + lane < n ? a[row * n + k + lane] : 0.0f;
    for (uint j = 0; j < size && k + j < n; j++)
      sum += sub_group_shuffle(piece, j) * b[(k + j) * n + col];
  }
  c[row * n + col] = sum;
}

// The number of work-items of the sub-group before this one for which keep holds, and
// in *count of all of them.
static uint rank(int keep, uint *count) {
  uint4 set = sub_group_ballot(keep);
  *count = sub_group_ballot_bit_count(set);
  return sub_group_ballot_exclusive_scan(set);
}

// Elements below limit move to the front of the work-group's part of out, in order;
// kept says how many.
kernel void sg_compact(global const uint *in, global uint *out, global uint *kept, local uint *parts, uint limit) {
  uint i = get_global_id(0), count;
  uint x = in[i];
  uint at = rank(x < limit, &count);
  if (get_sub_group_local_id() == 0)
    parts[get_sub_group_id()] = count;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint before = 0, total = 0;
  for (uint j = 0; j < get_num_sub_groups(); j++) {
    before += j < get_sub_group_id() ? parts[j] : 0;
    total += parts[j];
  }
  if (x < limit)
    out[get_group_id(0) * get_local_size(0) + before + at] = x;
  if (get_local_id(0) == 0)
    kept[get_group_id(0)] = total;
}

// Every element below limit gets a slot of its own, by one atomic a sub-group. Which
// is a matter of order; that the first slots are taken, each once, is not. Slots go
// round, for those who do not set next back between runs.
kernel void sg_aggregate(global const uint *in, global uint *next, global uint *taken, uint limit) {
  uint count, base = 0;
  int keep = in[get_global_id(0)] < limit;
  uint at = rank(keep, &count);
  if (get_sub_group_local_id() == 0 && count > 0)
    base = atomic_add(next, count);
  base = sub_group_broadcast(base, 0);
  if (keep)
    atomic_inc(&taken[(base + at) % get_global_size(0)]);
}

// Sorts each work-group's part of keys by two bits a pass, which keeps the order of
// equal digits. parts has four words for each sub-group.
kernel void sg_radix(global uint *keys, local uint *tile, local uint *parts) {
  uint lid = get_local_id(0), subs = get_num_sub_groups(), sub = get_sub_group_id();
  uint key = keys[get_global_id(0)];
  for (uint shift = 0; shift < 32; shift += 2) {
    uint digit = key >> shift & 3, at = 0;
    for (uint d = 0; d < 4; d++) {
      uint count, r = rank(digit == d, &count);
      if (digit == d)
        at = r;
      if (get_sub_group_local_id() == 0)
        parts[d * subs + sub] = count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < digit * subs + sub; i++)
      at += parts[i];
    tile[at] = key;
    barrier(CLK_LOCAL_MEM_FENCE);
    key = tile[lid];
  }
  keys[get_global_id(0)] = key;
}
