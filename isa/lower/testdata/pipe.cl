// What compilers make of the pipe functions of OpenCL C 2.0; run by TestPipeClang.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

typedef struct {
  char tag;
  float4 value;
  short rest;
} packet;

kernel void items(read_only pipe uint in, write_only pipe uint out, global uint *state) {
  uint x;
  if (read_pipe(in, &x) == 0) {
    x += get_pipe_max_packets(in) - get_pipe_max_packets(out);
    state[get_global_id(0)] = write_pipe(out, &x) == 0;
  }
  if (get_global_id(0) == 0)
    state[get_global_size(0)] = get_pipe_num_packets(in) < 64 && get_pipe_num_packets(out) > 0;
}

// Reservation ids in variables and arrays, and passed to functions.
uint fill(write_only pipe uint out, reserve_id_t id, uint n, global uint *from) {
  for (uint i = 0; i < n; i++)
    if (write_pipe(out, id, i, from + i) != 0)
      return i;
  return n;
}

kernel void reserved(read_only pipe uint in, write_only pipe uint out, global uint *state) {
  const uint n = 4;
  uint at = n * get_global_id(0);
  reserve_id_t ids[2];
  ids[get_global_id(0) & 1] = reserve_read_pipe(in, n);
  reserve_id_t id = ids[get_global_id(0) & 1];
  if (!is_valid_reserve_id(id))
    return;
  for (uint i = 0; i < n; i++)
    read_pipe(in, id, n - 1 - i, &state[at + i]);
  commit_read_pipe(in, id);
  id = reserve_write_pipe(out, n);
  if (is_valid_reserve_id(id) && fill(out, id, n, state + at) == n)
    commit_write_pipe(out, id);
}

kernel void groups(read_only pipe uint in, write_only pipe uint out, global uint *state) {
  reserve_id_t id = work_group_reserve_read_pipe(in, get_local_size(0));
  uint x = 0;
  if (is_valid_reserve_id(id)) {
    read_pipe(in, id, get_local_id(0), &x);
    work_group_commit_read_pipe(in, id);
  }
  state[get_global_id(0)] = x;
  id = work_group_reserve_write_pipe(out, get_local_size(0));
  if (is_valid_reserve_id(id)) {
    write_pipe(out, id, get_local_size(0) - 1 - get_local_id(0), &x);
    work_group_commit_write_pipe(out, id);
  }
}

kernel void subgroups(read_only pipe uint in, write_only pipe uint out, global uint *state) {
  reserve_id_t id = sub_group_reserve_read_pipe(in, get_sub_group_size());
  uint x = 0;
  if (is_valid_reserve_id(id)) {
    read_pipe(in, id, get_sub_group_local_id(), &x);
    sub_group_commit_read_pipe(in, id);
  }
  state[get_global_id(0)] = x;
  id = sub_group_reserve_write_pipe(out, get_sub_group_size());
  if (is_valid_reserve_id(id)) {
    write_pipe(out, id, get_sub_group_local_id(), &x);
    sub_group_commit_write_pipe(out, id);
  }
}

// A packet that is no number: it goes through private and local memory.
kernel void structures(read_only pipe packet in, write_only pipe packet out, local packet *tile) {
  packet p;
  if (read_pipe(in, &p) == 0) {
    p.rest++;
    tile[get_local_id(0)] = p;
    write_pipe(out, &tile[get_local_id(0)]);
  }
}
