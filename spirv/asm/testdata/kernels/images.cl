// Images, samplers, pipes, atomics and events.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void images(read_only image2d_t src, write_only image2d_t dst, read_only image1d_buffer_t lut,
                   sampler_t smooth, global volatile int *counts) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float4 v = read_imagef(src, nearest, p) + read_imagef(src, smooth, convert_float2(p) / 2.0f);
  v += read_imagef(lut, p.x);
  write_imagef(dst, p, v);
  atomic_add(&counts[(int)v.x], get_image_width(src));
  atomic_cmpxchg(&counts[0], 1, -1);
}

kernel void pipes(read_only pipe int in, write_only pipe int out) {
  int v;
  if (read_pipe(in, &v) == 0)
    write_pipe(out, &v);
}

kernel void copies(global const int *src, local int *tile) {
  event_t e = async_work_group_copy(tile, src, 64, 0);
  wait_group_events(1, &e);
}
