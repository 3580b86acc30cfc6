// A barrier that names images stands between the writes and the reads, and between the reads and the next writes.
//! run -global 16,2 -local 8,1 -arg image:16x2:rgba:i32 -arg zero:i32:32
kernel void turn(read_write image2d_t image, global int *out)
{
	int x = get_global_id(0), y = get_global_id(1), first = get_group_id(0) * 8;
	write_imagei(image, (int2)(x, y), (int4)(x));
	work_group_barrier(CLK_IMAGE_MEM_FENCE);
	int v = read_imagei(image, (int2)(first + 7 - x % 8, y)).x;
	work_group_barrier(CLK_IMAGE_MEM_FENCE);
	write_imagei(image, (int2)(x, y), (int4)(v));
	atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
	out[y * 16 + x] = read_imagei(image, (int2)(x, y)).x;
}
