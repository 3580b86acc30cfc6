// Pipes of both directions as arguments, every pipe function, and reservations of groups.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel void move(read_only pipe int in, write_only pipe float4 out, global int *count) {
  int x;
  if (read_pipe(in, &x) == 0) {
    float4 v = (float4)(x, get_pipe_num_packets(in), get_pipe_max_packets(out), 0);
    count[get_global_id(0)] = write_pipe(out, &v);
  }
}

kernel void reserve(read_only pipe int in, write_only pipe int out, uint n) {
  reserve_id_t from = reserve_read_pipe(in, n), to = reserve_write_pipe(out, n);
  if (is_valid_reserve_id(from) && is_valid_reserve_id(to))
    for (uint i = 0; i < n; i++) {
      int x;
      read_pipe(in, from, i, &x);
      write_pipe(out, to, i, &x);
    }
  commit_read_pipe(in, from);
  commit_write_pipe(out, to);
}

kernel void groups(read_only pipe int in, write_only pipe int out, local int *tile) {
  reserve_id_t from = work_group_reserve_read_pipe(in, get_local_size(0));
  if (!is_valid_reserve_id(from))
    return;
  read_pipe(in, from, get_local_id(0), &tile[get_local_id(0)]);
  work_group_commit_read_pipe(in, from);
  reserve_id_t to = sub_group_reserve_write_pipe(out, get_sub_group_size());
  if (is_valid_reserve_id(to)) {
    write_pipe(out, to, get_sub_group_local_id(), &tile[get_local_id(0)]);
    sub_group_commit_write_pipe(out, to);
  }
}
