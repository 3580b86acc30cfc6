// options: -cl-std=CL1.2
// Made from OpenCL C 1.2, which knows no smaller last work-groups.
kernel void fill(global int *out) { out[get_global_id(0)] = get_local_size(0); }
