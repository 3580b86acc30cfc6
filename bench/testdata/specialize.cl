// Kernels whose speed depends on what is known of a launch when they are compiled.

// out is in with rows and columns exchanged; both are w columns by h rows, in one
// dimension of work-items.
kernel void exchange(global uint *out, global const uint *in, uint w, uint h) {
  size_t i = get_global_id(0);
  if (i < (size_t)w * h) {
    uint y = (uint)i / w, x = (uint)i - y * w;
    out[x * h + y] = in[i];
  }
}

// A filter of k taps over a ring of n elements.
kernel void ring(global float *out, global const float *in, global const float *taps, uint n, uint k) {
  uint i = (uint)get_global_id(0);
  float sum = 0.0f;
  for (uint j = 0; j < k; j++)
    sum += in[(i + j * 3) % n] * taps[j];
  out[i] = sum;
}

// Little to gain: memory decides.
kernel void saxpy(global float *y, global const float *x, float a) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
