// Kernels with pipes, for the tests of package emu. Work-items write and read
// without blocking, again and again where they have to.

void put(write_only pipe uint out, uint v) {
  while (write_pipe(out, &v) != 0)
    ;
}

uint take(read_only pipe uint in) {
  uint v = 0;
  while (read_pipe(in, &v) != 0)
    ;
  return v;
}

kernel void produce(write_only pipe uint out, uint first, uint n) {
  for (uint i = 0; i < n; i++)
    put(out, first + i);
}

kernel void relay(read_only pipe uint in, write_only pipe uint out, uint n) {
  for (uint i = 0; i < n; i++)
    put(out, take(in) + 1);
}

kernel void consume(read_only pipe uint in, global uint *out, uint n) {
  for (uint i = 0; i < n; i++)
    out[i] = take(in);
}

// Each work-item writes its id once.
kernel void ids(write_only pipe uint out) { put(out, get_global_id(0)); }

// As many as there are; the results of read_pipe tell.
kernel void some(read_only pipe uint in, global int *out) {
  uint v = 0;
  int got = read_pipe(in, &v);
  out[2 * get_global_id(0)] = got;
  out[2 * get_global_id(0) + 1] = v;
}

// Chatter prints what it does.
kernel void talk(write_only pipe uint out, uint n) {
  for (uint i = 0; i < n; i++) {
    put(out, i);
    printf("wrote %u\n", i);
  }
}

kernel void hear(read_only pipe uint in, uint n) {
  for (uint i = 0; i < n; i++)
    printf("read %u\n", take(in));
}

kernel void groups(write_only pipe uint out) {
  reserve_id_t r = work_group_reserve_write_pipe(out, get_local_size(0));
  if (is_valid_reserve_id(r)) {
    uint v = get_global_id(0);
    write_pipe(out, r, get_local_id(0), &v);
    work_group_commit_write_pipe(out, r);
  }
}

// What must not be done.
kernel void leak(write_only pipe uint out) {
  reserve_id_t r = reserve_write_pipe(out, 2);
  uint v = 1;
  if (is_valid_reserve_id(r))
    write_pipe(out, r, 0, &v);
}

kernel void twice(write_only pipe uint out) {
  reserve_id_t r = reserve_write_pipe(out, 1);
  uint v = 1;
  write_pipe(out, r, 0, &v);
  commit_write_pipe(out, r);
  commit_write_pipe(out, r);
}

kernel void outside(write_only pipe uint out) {
  reserve_id_t r = reserve_write_pipe(out, 2);
  uint v = 1;
  write_pipe(out, r, 2, &v);
  commit_write_pipe(out, r);
}

kernel void unwritten(write_only pipe uint out) {
  reserve_id_t r = reserve_write_pipe(out, 3);
  uint v = 1;
  write_pipe(out, r, 1, &v);
  commit_write_pipe(out, r);
}

kernel void wide(write_only pipe ulong out) {
  ulong v = 1;
  write_pipe(out, &v);
}

kernel void failing(write_only pipe uint out, global uint *zero, uint n) {
  for (uint i = 0; i < n; i++)
    put(out, i);
  zero[1] = 7 / zero[0];
}

kernel void nothing(global uint *out) { out[get_global_id(0)] = 1; }
