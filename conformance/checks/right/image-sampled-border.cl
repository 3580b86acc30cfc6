// Reads with a sampler beside an image that nobody has written give the border, and those of another image are defined.
//! run -global 4 -local 4 -arg image:8x8:rgba:f32:undef:f32:256 -arg image:8x8:rgba:f32:iota:f32:256 -arg sampler:linear,clamp,unnormalized -arg zero:f32:8
kernel void read(read_only image2d_t nothing, read_only image2d_t image, sampler_t s, global float *out)
{
	int i = get_global_id(0);
	out[2 * i] = read_imagef(nothing, s, (float2)(i - 8.0f, 2.0f)).x;
	out[2 * i + 1] = read_imagef(image, s, (float2)(i + 1.0f, 2.0f)).x;
}
