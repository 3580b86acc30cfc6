// The counter's zero comes from the host, before the launch: that is ordered.
//! run -global 16 -local 4 -arg zero:i32:1 -arg zero:i32:16
kernel void count(global int *n, global int *out)
{
	out[get_global_id(0)] = (int)get_global_id(0);
	atomic_add(n, 2);
}
