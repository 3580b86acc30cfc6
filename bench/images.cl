// Kernels that read and write images, as programs have them. Arguments: the image that is read, the sampler if
// there is one, the image that is written, and numbers.

#pragma OPENCL FP_CONTRACT OFF

// A filter of 3 by 3 elements, with weights 1 2 1, 2 4 2, 1 2 1.
kernel void blur(read_only image2d_t src, sampler_t smp, write_only image2d_t dst)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float4 sum = (float4)(0);
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			sum += read_imagef(src, smp, at + (int2)(dx, dy)) * (float)((2 - abs(dx)) * (2 - abs(dy)));
	write_imagef(dst, at, sum / 16.0f);
}

// A picture turned around its middle.
kernel void turn(read_only image2d_t src, sampler_t smp, write_only image2d_t dst, float c, float s)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float2 middle = (float2)(get_image_width(src), get_image_height(src)) * 0.5f;
	float x = at.x + 0.5f - middle.x, y = at.y + 0.5f - middle.y;
	float2 from = (float2)(x * c - y * s, x * s + y * c) + middle;
	write_imagef(dst, at, read_imagef(src, smp, from));
}

// A picture in another size.
kernel void rescale(read_only image2d_t src, sampler_t smp, write_only image2d_t dst)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float2 from = (convert_float2(at) + 0.5f) / (float2)(get_image_width(dst), get_image_height(dst));
	write_imagef(dst, at, read_imagef(src, smp, from));
}

// Light that is not bounded to colours that are.
kernel void tonemap(read_only image2d_t src, write_only image2d_t dst, float exposure)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float4 light = read_imagef(src, at) * exposure;
	float4 colour = light / (1.0f + light);
	colour.w = 1.0f;
	write_imagef(dst, at, colour);
}

// The largest of 3 by 3 unsigned integers.
kernel void dilate(read_only image2d_t src, sampler_t smp, write_only image2d_t dst)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	uint4 most = (uint4)(0);
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			most = max(most, read_imageui(src, smp, at + (int2)(dx, dy)));
	write_imageui(dst, at, most);
}

// The size of the slope between signed integers, inside of the picture.
kernel void slope(read_only image2d_t src, write_only image2d_t dst)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	int2 last = (int2)(get_image_width(src), get_image_height(src)) - 1;
	int right = read_imagei(src, (int2)(min(at.x + 1, last.x), at.y)).x;
	int left = read_imagei(src, (int2)(max(at.x - 1, 0), at.y)).x;
	int below = read_imagei(src, (int2)(at.x, min(at.y + 1, last.y))).x;
	int above = read_imagei(src, (int2)(at.x, max(at.y - 1, 0))).x;
	write_imagei(dst, at, (int4)(abs(right - left) + abs(below - above)));
}
