// The barrier between the writes and the reads does not name images.
//! run -global 8,1 -local 8,1 -arg image:8x1:rgba:i32 -arg zero:i32:8
//! varies
kernel void turn(read_write image2d_t image, global int *out)
{
	int i = get_global_id(0);
	write_imagei(image, (int2)(i, 0), (int4)(i)); // find E-RACE
	work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
	out[i] = read_imagei(image, (int2)(7 - i, 0)).x; // find E-RACE
}
