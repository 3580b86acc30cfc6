// The second kernel reads in all groups what the first one wrote in all groups: the end of a launch
// orders everything (API, Host-Side and Device-Side Commands).
//! run -buffer b=zero:i32:16 -kernel fill -global 16 -local 4 -arg buffer:b -then -kernel use -global 16 -local 4 -arg buffer:b -arg zero:i32:16
kernel void fill(global int *b) { b[get_global_id(0)] = (int)get_global_id(0); }
kernel void use(global const int *b, global int *out)
{
	out[get_global_id(0)] = b[15 - get_global_id(0)];
}
