// atomic_store and atomic_load without an order are sequentially consistent, of the scope of the
// device.
//! run -global 2 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! varies
kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
	if (get_group_id(0) == 0) {
		*data = 42;
		atomic_store(flag, 1);
	} else if (atomic_load(flag) == 1)
		*out = *data;
}
