// A work-group reduction with LDS, structs, vectors, loops, calls and printf.
typedef struct {
  float4 sum;
  int count;
  uchar tag[3];
} part;

static part join(part a, part b) {
  a.sum += b.sum;
  a.count += b.count;
  return a;
}

kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void tree(global const float4 *in, global part *out, local part *scratch, uint n) {
  size_t lid = get_local_id(0);
  part p;
  p.sum = (float4)(0.0f);
  p.count = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
    if (isnan(in[i].x))
      continue;
    p.sum += in[i];
    p.count++;
  }
  scratch[lid] = p;
  for (uint half_size = 32; half_size > 0; half_size >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < half_size)
      scratch[lid] = join(scratch[lid], scratch[lid + half_size]);
  }
  if (lid == 0) {
    out[get_group_id(0)] = scratch[0];
    printf("group %d: \"%v4hlf\"\n", (int)get_group_id(0), scratch[0].sum);
  }
}
