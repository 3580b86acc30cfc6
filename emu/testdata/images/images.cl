// Kernels of TestImages: what a kernel does with images of two dimensions.

uint __attribute__((overloadable)) intel_sub_group_media_block_read_ui(int2 at, int width, int height, read_only image2d_t image);
void __attribute__((overloadable)) intel_sub_group_media_block_write_uc2(int2 at, int width, int height, uchar2 v, write_only image2d_t image);

kernel void copyf(read_only image2d_t in, write_only image2d_t out) {
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	write_imagef(out, at, read_imagef(in, at));
}

kernel void copyi(read_only image2d_t in, write_only image2d_t out) {
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	write_imagei(out, at, read_imagei(in, at));
}

kernel void copyui(read_only image2d_t in, write_only image2d_t out) {
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	write_imageui(out, at, read_imageui(in, at));
}

kernel void getf(read_only image2d_t in, global float4 *out, int2 from) {
	int2 at = from + (int2)(get_global_id(0), get_global_id(1));
	out[get_global_linear_id()] = read_imagef(in, at);
}

kernel void getui(read_only image2d_t in, global uint4 *out, int2 from) {
	int2 at = from + (int2)(get_global_id(0), get_global_id(1));
	out[get_global_linear_id()] = read_imageui(in, at);
}

// Every work-item reads the same texel, and only one component of it.
kernel void uniform(read_only image2d_t in, global float *out, int2 at) {
	out[get_global_id(0)] = read_imagef(in, at).y;
}

// What one read_write image holds, doubled; each work-item reads what it wrote.
kernel void twice(read_write image2d_t image) {
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	for (int i = 0; i < 2; i++)
		write_imagef(image, at, read_imagef(image, at) + 0.125f);
}

kernel void query(read_only image2d_t a, write_only image2d_t b, global int *out) {
	int2 d = get_image_dim(b);
	out[0] = get_image_width(a);
	out[1] = get_image_height(a);
	out[2] = get_image_channel_order(a);
	out[3] = get_image_channel_data_type(a);
	out[4] = d.x;
	out[5] = d.y;
	out[6] = get_image_channel_order(b) == CLK_BGRA;
	out[7] = get_image_channel_data_type(b) == CLK_SIGNED_INT8;
}

kernel void blockread(read_only image2d_t in, global uint *out, int2 at) {
	uint2 v = intel_sub_group_block_read2(in, at);
	out[2 * get_global_id(0)] = v.x;
	out[2 * get_global_id(0) + 1] = v.y;
}

kernel void blockread_us(read_only image2d_t in, global ushort *out, int2 at) {
	out[get_global_id(0)] = intel_sub_group_block_read_us(in, at);
}

kernel void blockwrite(write_only image2d_t out, global const uint4 *in, int2 at) {
	intel_sub_group_block_write4(out, at, in[get_global_id(0)]);
}

kernel void blockdiverged(read_only image2d_t in, global uint *out, int2 at) {
	if (get_local_id(0) & 1)
		out[get_global_id(0)] = intel_sub_group_block_read(in, at);
}

kernel void blockapart(read_only image2d_t in, global uint *out, int2 at) {
	out[get_global_id(0)] = intel_sub_group_block_read(in, at + (int2)(get_local_id(0), 0));
}

kernel void mediaread(read_only image2d_t in, global uint *out, int2 at) {
	out[get_global_id(0)] = intel_sub_group_media_block_read_ui(at, 5, 3, in);
}

kernel void mediawrite(write_only image2d_t out, int2 at) {
	uchar l = get_global_id(0);
	intel_sub_group_media_block_write_uc2(at, 8, 4, (uchar2)(l, l + 100), out);
}
