// Tiles of 64 KiB go from one picture to another through local memory by copies
// in two dimensions: nothing but the copies takes time. A group copies one row of
// tiles; a picture is across tiles wide and get_num_groups(0) tiles high.
// addressing: 32
#define LINE 256
#define LINES 64

event_t __attribute__((overloadable)) async_work_group_copy_2D2D(local void *dst, size_t dst_offset,
	const global void *src, size_t src_offset, size_t element_bytes, size_t elements, size_t lines,
	size_t src_line, size_t dst_line, event_t event);
event_t __attribute__((overloadable)) async_work_group_copy_2D2D(global void *dst, size_t dst_offset,
	const local void *src, size_t src_offset, size_t element_bytes, size_t elements, size_t lines,
	size_t src_line, size_t dst_line, event_t event);

kernel void tiles2d(global const uint *in, global uint *out, uint across)
{
	local uint tile[LINES * LINE];
	size_t width = (size_t)across * LINE, row = get_group_id(0) * LINES * width;
	for (uint t = 0; t < across; t++) {
		event_t e = async_work_group_copy_2D2D(tile, 0, in, row + t * LINE, sizeof(uint), LINE, LINES, width, LINE, 0);
		wait_group_events(1, &e);
		barrier(CLK_LOCAL_MEM_FENCE);
		e = async_work_group_copy_2D2D(out, row + t * LINE, tile, 0, sizeof(uint), LINE, LINES, LINE, width, 0);
		wait_group_events(1, &e);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
