// Tree reductions in local memory: one partial result a work-group.
// lines: yes
// addressing: 32
#pragma OPENCL FP_CONTRACT OFF

kernel void reduce_u32(global const uint *in, global uint *partial, local uint *scratch, uint n)
{
	uint l = get_local_id(0);
	uint sum = 0;
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		sum += in[i];
	scratch[l] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
		if (l < s)
			scratch[l] += scratch[l + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (l == 0)
		partial[get_group_id(0)] = scratch[0];
}

kernel void reduce_f32(global const float *in, global float *partial, local float *scratch)
{
	uint l = get_local_id(0);
	scratch[l] = in[get_global_id(0)];
	for (uint s = 1; s < get_local_size(0); s *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l % (2 * s) == 0 && l + s < get_local_size(0))
			scratch[l] += scratch[l + s];
	}
	if (l == 0)
		partial[get_group_id(0)] = scratch[0];
}

// The smallest and the largest element and where they are, the first of equals.
kernel void minmax(global const int *in, global int4 *partial, local int4 *scratch)
{
	uint l = get_local_id(0);
	int g = get_global_id(0);
	scratch[l] = (int4)(in[g], g, in[g], g);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
		if (l < s) {
			int4 a = scratch[l], b = scratch[l + s];
			if (b.x < a.x || (b.x == a.x && b.y < a.y))
				a.xy = b.xy;
			if (b.z > a.z || (b.z == a.z && b.w < a.w))
				a.zw = b.zw;
			scratch[l] = a;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (l == 0)
		partial[get_group_id(0)] = scratch[0];
}
