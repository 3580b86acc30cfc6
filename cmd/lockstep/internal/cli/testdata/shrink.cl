float4 half_of(float4 v) { return v * 0.5f; }

kernel void shrink(read_only image2d_t in, global float4 *sum, sampler_t s, write_only image2d_array_t out, read_only image3d_t cube)
{
	int2 p = (int2)(get_global_id(0), get_global_id(1));
	float4 v = half_of(read_imagef(in, s, (float2)(p.x, p.y)));
	write_imagef(out, (int4)(p, 1, 0), v + read_imagef(cube, (int4)(0)));
	sum[p.y * get_global_size(0) + p.x] = v;
}
