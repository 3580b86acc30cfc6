// Constants of every width, and a switch on each integer width.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant double table[4] = {0.1, -0.0, 1e300, 5e-324};
constant float specials[4] = {INFINITY, -INFINITY, __builtin_nanf(""), 1e-45f};

kernel void numbers(global ulong *out, global half *h, char c, ushort s, int i, long l) {
  ulong r = 0;
  switch (c) {
  case -128: r = 1; break;
  case 127: r = 2; break;
  default: r = 3;
  }
  switch (s) {
  case 0: r += 10; break;
  case 65535: r += 20; break;
  }
  switch (i) {
  case INT_MIN: r ^= 0xdeadbeefcafef00dUL; break;
  case 77: r ^= 1UL << 63; break;
  }
  switch (l) {
  case LONG_MIN: r *= 3; break;
  case 1L << 40: r *= 5; break;
  default: r -= (uchar)c;
  }
  out[0] = r;
  out[1] = as_ulong(table[i & 3] * 0.3);
  out[2] = as_uint(specials[i & 3] + 3.40282347e38f);
  h[0] = h[1] * (half)0.333h + (half)65504.0h;
}
