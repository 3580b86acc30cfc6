// The functions of OpenCL C for groups, with results that do not depend on how many
// work-items a sub-group has.
//
// extension: SPV_INTEL_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// Those of cl_intel_subgroups, which compilers leave out where the device is not known.
int __attribute__((overloadable, convergent)) intel_sub_group_shuffle(int x, uint lane);
int __attribute__((overloadable, convergent)) intel_sub_group_shuffle_xor(int x, uint mask);
int __attribute__((overloadable, convergent)) intel_sub_group_shuffle_down(int current, int next, uint delta);
int __attribute__((overloadable, convergent)) intel_sub_group_shuffle_up(int previous, int current, uint delta);

// Reductions and scans of work-groups: ten results a work-item.
kernel void wg_functions(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int x = in[i];
  int r[10];
  r[0] = work_group_reduce_add(x);
  r[1] = work_group_reduce_min(x);
  r[2] = (int)work_group_reduce_max((uint)x);
  r[3] = work_group_scan_inclusive_add(x);
  r[4] = work_group_scan_exclusive_add(x);
  r[5] = work_group_scan_inclusive_max(x);
  r[6] = work_group_scan_exclusive_min(x);
  r[7] = work_group_all(x > -90);
  r[8] = work_group_any(x > 90);
  r[9] = work_group_broadcast(x, get_local_size(0) - 1);
  for (int k = 0; k < 10; k++)
    out[10 * i + k] = r[k];
}

// Sums and extremes of long, float and double; sums are exact.
kernel void wg_types(global const int *in, global long *longs, global float *floats, global double *doubles) {
  size_t i = get_global_id(0);
  long l = (long)in[i] << 33;
  float f = in[i] * 0.25f;
  double d = in[i] * 0.125;
  longs[2 * i] = work_group_scan_inclusive_add(l);
  longs[2 * i + 1] = work_group_reduce_max(l);
  floats[2 * i] = work_group_scan_exclusive_add(f);
  floats[2 * i + 1] = work_group_reduce_min(f);
  doubles[2 * i] = work_group_reduce_add(d);
  doubles[2 * i + 1] = work_group_scan_inclusive_max(d);
}

// The value of one work-item of a group of three dimensions.
kernel void wg_broadcast(global const int *in, global int *out) {
  size_t i = get_global_linear_id();
  out[i] = work_group_broadcast(in[i], get_local_size(0) - 1, get_local_size(1) - 1, get_local_size(2) - 1);
}

// Functions of sub-groups, each set against what the lanes compute one by one: one bit
// for each that is right. tile has a word for each work-item.
kernel void sg_functions(global const int *in, global uint *right, local int *tile) {
  size_t i = get_global_id(0);
  uint lane = get_sub_group_local_id(), size = get_sub_group_size(), ok = 0;
  int x = in[i];
  local int *mine = tile + get_sub_group_id() * get_max_sub_group_size();
  mine[lane] = x;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0, least = INT_MAX, most = INT_MIN, before = 0, upto = INT_MIN, all = 1, any = 0;
  for (uint k = 0; k < size; k++) {
    int y = mine[k];
    sum += y;
    least = min(least, y);
    most = max(most, y);
    before += k < lane ? y : 0;
    upto = k <= lane ? max(upto, y) : upto;
    all &= y > -60;
    any |= y > 60;
  }
  uint turned = (lane + 3) % size;
  ok |= (uint)(sub_group_reduce_add(x) == sum) << 0;
  ok |= (uint)(sub_group_reduce_min(x) == least) << 1;
  ok |= (uint)(sub_group_reduce_max(x) == most) << 2;
  ok |= (uint)(sub_group_scan_exclusive_add(x) == before) << 3;
  ok |= (uint)(sub_group_scan_inclusive_max(x) == upto) << 4;
  ok |= (uint)(!sub_group_all(x > -60) == !all) << 5;
  ok |= (uint)(!sub_group_any(x > 60) == !any) << 6;
  ok |= (uint)(sub_group_broadcast(x, size - 1) == mine[size - 1]) << 7;
  ok |= (uint)(intel_sub_group_shuffle(x, turned) == mine[turned]) << 8;
  ok |= (uint)(intel_sub_group_shuffle_xor(x, turned ^ lane) == mine[turned]) << 9;
  ok |= (uint)(intel_sub_group_shuffle_down(~x, x, get_max_sub_group_size() + turned - lane) == mine[turned]) << 10;
  ok |= (uint)(intel_sub_group_shuffle_up(x, ~x, get_max_sub_group_size() + lane - turned) == mine[turned]) << 11;
  right[i] = ok;
}
