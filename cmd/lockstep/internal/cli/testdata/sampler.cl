kernel void zoom(read_only image2d_t im, sampler_t s, write_only image3d_t slices, global float *out)
{
	int i = get_global_id(0);
	float v = read_imagef(im, s, (float2)(i / 4.0f, 0.5f)).x;
	out[i] = v;
	write_imagef(slices, (int4)(i & 1, 0, i >> 1, 0), (float4)(v / 2));
}
