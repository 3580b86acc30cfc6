// A packed structure has members at odd places, and the compiler knows.
//! run -global 2 -local 2 -arg iota:u8:10 -arg zero:i32:2
typedef struct __attribute__((packed)) { uchar tag; int value; } record;
kernel void parse(global const record *in, global int *out)
{
	out[get_global_id(0)] = in[get_global_id(0)].value;
}
