// Rays and what they hit.
#pragma OPENCL FP_CONTRACT OFF

struct sphere {
	float x, y, z, radius;
	float red, green, blue, mirror;
};

// Follows a ray through mirrors of spheres.
kernel void spheres(constant struct sphere *scene, int count, global float4 *picture, float zoom)
{
	int px = get_global_id(0), py = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
	float3 from = (float3)(0.0f, 0.0f, -4.0f);
	float3 dir = (float3)((px - w / 2) * zoom, (h / 2 - py) * zoom, 1.0f);
	dir /= sqrt(dot(dir, dir));
	float3 light = (float3)(0.6f, 0.64f, -0.48f);
	float3 colour = (float3)(0.0f, 0.0f, 0.0f);
	float share = 1.0f;
	for (int bounce = 0; bounce < 4 && share > 0.05f; bounce++) {
		int hit = -1;
		float near = 1e9f;
		for (int i = 0; i < count; i++) {
			float3 to = (float3)(scene[i].x, scene[i].y, scene[i].z) - from;
			float along = dot(to, dir);
			float d2 = scene[i].radius * scene[i].radius - (dot(to, to) - along * along);
			if (d2 < 0.0f)
				continue;
			float t = along - sqrt(d2);
			if (t > 1e-3f && t < near) {
				near = t;
				hit = i;
			}
		}
		if (hit < 0) {
			colour += share * (float3)(0.2f, 0.3f, 0.5f);
			break;
		}
		from += near * dir;
		float3 centre = (float3)(scene[hit].x, scene[hit].y, scene[hit].z);
		float3 normal = (from - centre) / scene[hit].radius;
		float lit = fmax(dot(normal, light), 0.1f) * (1.0f - scene[hit].mirror);
		colour += share * lit * (float3)(scene[hit].red, scene[hit].green, scene[hit].blue);
		share *= scene[hit].mirror;
		dir -= 2.0f * dot(dir, normal) * normal;
	}
	picture[py * w + px] = (float4)(colour, 1.0f);
}

// The light on surfaces with these normals, three floats each.
kernel void phong(global const float *normals, global float4 *out, float shininess)
{
	size_t i = get_global_id(0);
	float3 n = normalize(vload3(i, normals));
	float3 light = normalize((float3)(0.3f, 0.8f, -0.5f));
	float along = dot(n, light);
	float3 mirrored = 2.0f * along * n - light;
	float shine = native_powr(fmax(-mirrored.z, 0.0f), shininess);
	float3 colour = mix((float3)(0.1f, 0.1f, 0.3f), (float3)(1.0f, 0.8f, 0.6f), fmax(along, 0.0f));
	out[i] = (float4)(clamp(colour + shine, 0.0f, 1.0f), 1.0f);
}

// Light that wanders through a cloud in a box: scatters, is absorbed, or leaves.
kernel void scatter(global const uint *seed, global float4 *out, int paths, float albedo)
{
	int id = get_global_id(0);
	uint s = seed[id] | 1;
	float3 leaving = (float3)(0.0f, 0.0f, 0.0f);
	float weight = 0.0f;
	for (int p = 0; p < paths; p++) {
		float3 at = (float3)(0.5f, 0.5f, 0.5f), dir = (float3)(0.0f, 0.0f, 1.0f);
		for (;;) {
			s = s * 1664525u + 1013904223u;
			float far = -0.25f * log((float)(s >> 8) * 0x1p-24f + 0x1p-25f);
			at += far * dir;
			if (any(at < 0.0f) || any(at > 1.0f)) {
				leaving += dir;
				weight += 1.0f;
				break;
			}
			s = s * 1664525u + 1013904223u;
			if ((float)(s >> 8) * 0x1p-24f > albedo)
				break;
			s = s * 1664525u + 1013904223u;
			float z = (float)(s >> 8) * 0x1p-23f - 1.0f;
			s = s * 1664525u + 1013904223u;
			float turn = (float)(s >> 8) * 3.74507e-7f, r = sqrt(1.0f - z * z);
			dir = (float3)(r * cos(turn), r * sin(turn), z);
		}
	}
	out[id] = (float4)(leaving, weight);
}

// The nearest of points in a tree of two dimensions: node i has children 2 * i + 1 and 2 * i + 2.
kernel void nearest(global const float2 *tree, int nodes, global const float2 *query, global int *found)
{
	int stack[32], depth[32], top = 0, best = -1;
	float2 q = query[get_global_id(0)];
	float least = INFINITY;
	stack[0] = 0;
	depth[0] = 0;
	top = 1;
	while (top > 0) {
		top--;
		int node = stack[top], axis = depth[top];
		float2 d = tree[node] - q;
		float r2 = d.x * d.x + d.y * d.y;
		if (r2 < least) {
			least = r2;
			best = node;
		}
		float side = axis ? d.y : d.x;
		int left = 2 * node + 1, right = left + 1;
		int close = side > 0.0f ? left : right, far = side > 0.0f ? right : left;
		if (far < nodes && side * side < least) {
			stack[top] = far;
			depth[top++] = !axis;
		}
		if (close < nodes) {
			stack[top] = close;
			depth[top++] = !axis;
		}
	}
	found[get_global_id(0)] = best;
}
