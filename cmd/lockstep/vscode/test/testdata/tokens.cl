#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#include "types.h"
#define SQUARE(x) ((x) * \
	(x))
#if defined(N) && N > 16
#endif

// A comment of a kernel, and /* no block */.
typedef struct { float4 at; uchar3 colour; } Point;

constant sampler_t nearest = CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP;

static inline float helper(float x, private int *n)
{
	return x < 1e-3f ? 0x1.8p3f : SQUARE(.5f) + 0b101u + 017 + 1.0h + 'a' - INFINITY;
}

__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void early(global const int *restrict in, __global int *out, local int *tile, read_only image2d_t image)
{
	size_t place = get_local_id(0);
	tile[place] = in[get_global_id(0)] << 2;
	work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
	float4 v = (float4)(1.0f, vload3(0, (global float *)out)); /* a
	block */
	v.xyz += read_imagef(image, nearest, (int2)(0, 1)).s012;
	for (uint i = 0; i != 10ul; ++i)
		out[i] = convert_int_sat(native_sin(v.hi.x)) + atomic_add(&tile[0], sub_group_reduce_add(1));
	printf("%v4hlf of %d%%\n", v, (int)sizeof(Point));
	helper(v->at, NULL);
}
