// A radix sort of keys of 32 bits, four bits a pass, which keeps the order of keys whose
// digits are equal. A pass counts the digits of every work-group, adds up what comes
// before each count, and moves the keys. Work-items find their places by ballots: which
// lanes of my sub-group have the same digit, and how many of them are before me?
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

#define DIGITS 16

static uint digit_of(uint key, uint shift) { return key >> shift & (DIGITS - 1); }

// counts[d * groups + g] becomes the number of keys of work-group g with digit d.
kernel void count(global const uint *keys, uint n, uint shift, global uint *counts) {
  local uint sums[DIGITS];
  uint i = get_global_id(0), lid = get_local_id(0);
  uint digit = i < n ? digit_of(keys[i], shift) : DIGITS;
  if (lid < DIGITS)
    sums[lid] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 0; d < DIGITS; d++) {
    // One atomic for all work-items of the sub-group that have the digit.
    uint same = sub_group_ballot_bit_count(sub_group_ballot(digit == d));
    if (get_sub_group_local_id() == 0 && same > 0)
      atomic_add(&sums[d], same);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid < DIGITS)
    counts[lid * get_num_groups(0) + get_group_id(0)] = sums[lid];
}

// Every element becomes the sum of those before it. One work-group does it all.
kernel void scan(global uint *counts, uint n) {
  uint before = 0;
  for (uint base = 0; base < n; base += get_local_size(0)) {
    uint i = base + get_local_id(0);
    uint x = i < n ? counts[i] : 0;
    uint sum = work_group_scan_exclusive_add(x);
    if (i < n)
      counts[i] = before + sum;
    before += work_group_reduce_add(x);
  }
}

// Keys move to where starts, the scanned counts, has room for their digit. parts has a
// word for each digit and sub-group.
kernel void move(global const uint *keys, global uint *out, uint n, uint shift, global const uint *starts, local uint *parts) {
  uint i = get_global_id(0), sub = get_sub_group_id(), subs = get_num_sub_groups();
  uint key = i < n ? keys[i] : 0;
  uint digit = i < n ? digit_of(key, shift) : DIGITS, at = 0;
  for (uint d = 0; d < DIGITS; d++) {
    uint4 same = sub_group_ballot(digit == d);
    uint before = sub_group_ballot_exclusive_scan(same);
    at = digit == d ? before : at;
    if (get_sub_group_local_id() == 0)
      parts[d * subs + sub] = sub_group_ballot_bit_count(same);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) {
    for (uint j = 0; j < sub; j++)
      at += parts[digit * subs + j];
    out[starts[digit * get_num_groups(0) + get_group_id(0)] + at] = key;
  }
}
