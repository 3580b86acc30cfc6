kernel void resolve(read_only image2d_msaa_t im, global float4 *out)
{
	out[0] = read_imagef(im, (int2)(0), 0);
}

kernel void plain(global float *out)
{
	out[get_global_id(0)] = 1;
}
