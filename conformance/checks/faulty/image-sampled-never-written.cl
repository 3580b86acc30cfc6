// A read with a sampler takes in an element of an image that the host has never written.
//! run -global 4 -local 4 -arg image:8x8:rgba:f32:undef:f32:256 -arg sampler:linear,clamp_to_edge,unnormalized -arg zero:f32:4
kernel void read(read_only image2d_t image, sampler_t s, global float *out)
{
	int i = get_global_id(0);
	out[i] = read_imagef(image, s, (float2)(i + 1.0f, 2.5f)).x; // find E-UNINIT
}
