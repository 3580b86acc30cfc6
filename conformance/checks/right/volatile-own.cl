// volatile alone is no fault: each work-item uses its own element.
//! run -global 8 -local 8 -arg iota:i32:8
kernel void twice(global volatile int *a)
{
	size_t g = get_global_id(0);
	a[g] = a[g] + a[g];
}
