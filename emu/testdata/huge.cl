// A program-scope variable of 4 GiB.
global char huge[1ul << 32];
kernel void touch(global int *out) { huge[out[0]] = 1; }
