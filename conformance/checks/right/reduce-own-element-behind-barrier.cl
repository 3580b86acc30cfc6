// Behind the last step, work-item 0 reads element 0, which it wrote itself: no barrier is needed.
//! run -global 8 -local 8 -arg iota:f32:8 -arg zero:f32:1
kernel void greatest(global const float *in, global float *out)
{
	local float part[8];
	int l = get_local_id(0);
	part[l] = in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int h = 4; h > 1; h /= 2) {
		if (l < h)
			part[l] = fmax(part[l], part[l + h]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (l == 0) {
		part[0] = fmax(part[0], part[1]);
		out[0] = part[0];
	}
}
