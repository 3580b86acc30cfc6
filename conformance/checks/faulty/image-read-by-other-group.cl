// Work-groups write and read the same elements of an image.
//! run -global 16,1 -local 8,1 -arg image:16x1:rgba:i32 -arg zero:i32:16
//! varies
kernel void shift(read_write image2d_t image, global int *out)
{
	int i = get_global_id(0);
	write_imagei(image, (int2)(i, 0), (int4)(i)); // find E-RACE
	atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
	out[i] = read_imagei(image, (int2)((i + 8) % 16, 0)).x; // find E-RACE
}
