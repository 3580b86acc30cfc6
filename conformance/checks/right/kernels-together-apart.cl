// Two kernels run together and share a buffer, but not a byte of it.
//! run -buffer b=zero:i32:8 -kernel low -global 4 -arg buffer:b -with -kernel high -global 4 -arg buffer:b
kernel void low(global int *b) { b[get_global_id(0)] = 1; }
kernel void high(global int *b) { b[4 + get_global_id(0)] = 2; }
