// A blur of 5 × 5 pixels with the weights 1 4 6 4 1 both ways; outside of the picture its
// edge continues. The images have four channels of one byte, rgba:u8.

// Those of cl_intel_subgroups, which compilers leave out where the device is not known.
uint8 __attribute__((overloadable, convergent)) intel_sub_group_block_read8(read_only image2d_t image, int2 at);
void __attribute__((overloadable, convergent)) intel_sub_group_block_write4(write_only image2d_t image, int2 at, uint4 v);

#define ROWS 4 // pixels that a work-item of blocks blurs, one below the other

// Two channels at a time: 16 bits each hold 255 × 256, the largest sum.
#define EVEN(v) ((v) & 0xff00ff)
#define ODD(v) ((v) >> 8 & 0xff00ff)

// down adds up five rows for each of ROWS, divides by the sum of all weights and rounds.
static uint4 down(uint8 v) {
	uint4 sum = v.s0123 + v.s4567 + 4 * (v.s1234 + v.s3456) + 6 * v.s2345;
	return EVEN((sum + 0x800080) >> 8);
}

// blocks reads five blocks of 8 rows for ROWS rows of its sub-group: a pixel of each row for
// each work-item, and the same one and two pixels to the left and to the right. Nothing is
// clamped here: block reads give the edge where there is no picture, and what block writes
// put there is dropped.
//
// Global size: the width rounded up to work-groups, by a quarter of the height rounded up;
// a work-group is one row of whole sub-groups.
kernel void blocks(read_only image2d_t in, write_only image2d_t out) {
	int x = get_global_id(0) - get_sub_group_local_id(), y = ROWS * get_global_id(1);
	uint8 even = 0, odd = 0;
	for (int i = -2; i <= 2; i++) {
		uint8 v = intel_sub_group_block_read8(in, (int2)(4 * (x + i), y - 2));
		uint weight = i == 0 ? 6 : abs(i) == 1 ? 4 : 1;
		even += weight * EVEN(v);
		odd += weight * ODD(v);
	}
	intel_sub_group_block_write4(out, (int2)(4 * x, y), down(even) | down(odd) << 8);
}

// pixels does the same with a read for each of the 25 pixels, at a place of its own.
//
// Global size: width and height, rounded up to work-groups.
kernel void pixels(read_only image2d_t in, write_only image2d_t out) {
	int2 at = (int2)(get_global_id(0), get_global_id(1)), last = get_image_dim(in) - 1;
	if (at.x > last.x || at.y > last.y)
		return;
	uint4 sum = 128;
	for (int j = -2; j <= 2; j++)
		for (int i = -2; i <= 2; i++) {
			uint weight = (i == 0 ? 6 : abs(i) == 1 ? 4 : 1) * (j == 0 ? 6 : abs(j) == 1 ? 4 : 1);
			sum += weight * read_imageui(in, clamp(at + (int2)(i, j), (int2)(0), last));
		}
	write_imageui(out, at, sum >> 8);
}
