// What an operation of a sub-group costs: loops of nothing else, to hold against each
// other. Eight a turn, so that the loop does not count. Sub-groups are full; no result
// depends on how many work-items they have.
//
// extension: SPV_INTEL_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL FP_CONTRACT OFF

// Those of cl_intel_subgroups, which compilers leave out where the device is not known;
// the parentheses keep macros of these names away.
uint __attribute__((overloadable, convergent)) (intel_sub_group_block_read)(const global uint *p);
uint8 __attribute__((overloadable, convergent)) (intel_sub_group_block_read8)(const global uint *p);

#define EIGHT(x) x; x; x; x; x; x; x; x;

kernel void cost_add(global const float *in, global float *out, float y, uint turns) {
  float x = in[get_global_id(0)];
  for (uint i = 0; i < turns; i++) {
    EIGHT(x += y)
  }
  out[get_global_id(0)] = x;
}

// The lanes change places, and change back.
kernel void cost_shuffle(global const float *in, global float *out, uint turns) {
  float x = in[get_global_id(0)];
  uint other = get_sub_group_size() - 1 - get_sub_group_local_id();
  for (uint i = 0; i < turns; i++) {
    EIGHT(x = sub_group_shuffle(x, other))
  }
  out[get_global_id(0)] = x;
}

// The same where each shuffle computes the lane.
kernel void cost_shuffle_xor(global const float *in, global float *out, uint turns) {
  float x = in[get_global_id(0)];
  uint mask = get_sub_group_size() - 1;
  for (uint i = 0; i < turns; i++) {
    EIGHT(x = sub_group_shuffle_xor(x, mask))
  }
  out[get_global_id(0)] = x;
}

// No x is 0, so that the first lane is in every ballot.
kernel void cost_ballot(global const uint *in, global uint *out, uint turns) {
  uint x = in[get_global_id(0)];
  for (uint i = 0; i < turns; i++) {
    EIGHT(x = sub_group_ballot(x).x)
  }
  out[get_global_id(0)] = in[get_global_id(0)] + (x & 1);
}

// All have the same small integer: every sum is exact, and so is what undoes eight.
kernel void cost_reduce(global const float *in, global float *out, uint turns) {
  float x = in[get_group_id(0)];
  float undo = 1.0f / get_sub_group_size();
  undo *= undo;
  undo *= undo;
  undo *= undo;
  for (uint i = 0; i < turns; i++) {
    EIGHT(x = sub_group_reduce_add(x))
    x *= undo;
  }
  out[get_global_id(0)] = x;
}

// Each work-group sums the same elements, eight times its own size a turn: by loads.
kernel void cost_load(global const uint *in, global uint *out, uint turns) {
  uint sum = 0, step = get_local_size(0), at = get_local_id(0);
  for (uint i = 0; i < turns; i++) {
    EIGHT(sum += in[at]; at += step)
  }
  atomic_add(&out[get_group_id(0)], sum);
}

// By blocks of one element a lane.
kernel void cost_block_read(global const uint *in, global uint *out, uint turns) {
  uint sum = 0, step = get_local_size(0), at = get_sub_group_id() * get_max_sub_group_size();
  for (uint i = 0; i < turns; i++) {
    EIGHT(sum += intel_sub_group_block_read(in + at); at += step)
  }
  atomic_add(&out[get_group_id(0)], sum);
}

// By blocks of eight.
kernel void cost_block_read8(global const uint *in, global uint *out, uint turns) {
  uint sum = 0, step = 8 * get_local_size(0), at = 8 * get_sub_group_id() * get_max_sub_group_size();
  for (uint i = 0; i < turns; i++) {
    uint8 x = intel_sub_group_block_read8(in + at);
    sum += x.s0 + x.s1 + x.s2 + x.s3 + x.s4 + x.s5 + x.s6 + x.s7;
    at += step;
  }
  atomic_add(&out[get_group_id(0)], sum);
}
