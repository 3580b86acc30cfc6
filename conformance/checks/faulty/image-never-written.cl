// The kernel reads elements of an image that it has not written, nor the host.
//! run -global 8,1 -local 8,1 -arg image:16x1:rgba:i32:undef:i32:64 -arg zero:i32:8
kernel void read(read_write image2d_t image, global int *out)
{
	int i = get_global_id(0);
	write_imagei(image, (int2)(i, 0), (int4)(i));
	atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
	int4 own = read_imagei(image, (int2)(i, 0)), other = read_imagei(image, (int2)(i + 8, 0));
	out[i] = own.x + other.x; // find E-UNINIT
}
