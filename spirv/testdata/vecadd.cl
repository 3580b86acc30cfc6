// Plain kernel: buffers of two address spaces, a scalar, and argument qualifiers.
kernel void vecadd(global const int *restrict a, global const int *b, global int *c, int n, constant float4 *k,
                   local short *tmp) {
  size_t i = get_global_id(0);
  tmp[get_local_id(0)] = (short)a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n)
    c[i] = a[i] + b[i] + (int)k[0].x + tmp[0];
}
