// Kernel attributes, an aggregate by value, images, samplers, and several kernels in one module.
typedef struct { int a; float4 v; char tail[3]; } Params;
typedef enum { One, Two } Choice;

kernel __attribute__((reqd_work_group_size(8, 4, 2))) __attribute__((vec_type_hint(float4)))
void fixed_size(global float4 *out, Params p) {
  out[get_global_id(0)] = p.v * (float)p.a + (float)p.tail[1];
}

kernel __attribute__((work_group_size_hint(16, 1, 1)))
void images(read_only image2d_t in, write_only image2d_t out, sampler_t s, volatile global uint *count) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, s, at));
  atomic_inc(count);
}

kernel __attribute__((intel_reqd_sub_group_size(16)))
void caller(global float4 *out, Params p, long n) {
  if (n > 3)
    fixed_size(out, p);
}
