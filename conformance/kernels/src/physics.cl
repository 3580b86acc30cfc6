// Particles and grids.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Forces between near particles, by lists of neighbours.
kernel void lennard_jones(global const float4 *position, global const int *neighbour, global float4 *force, int neighbours, float cutoff2)
{
	int i = get_global_id(0), n = get_global_size(0);
	float3 p = position[i].xyz, f = (float3)(0.0f, 0.0f, 0.0f);
	float energy = 0.0f;
	for (int k = 0; k < neighbours; k++) {
		float3 d = position[neighbour[k * n + i]].xyz - p;
		float r2 = dot(d, d);
		if (r2 < cutoff2 && r2 > 0.0f) {
			float inv2 = 1.0f / r2;
			float inv6 = inv2 * inv2 * inv2;
			f += d * (inv2 * inv6 * (24.0f - 48.0f * inv6));
			energy += 4.0f * inv6 * (inv6 - 1.0f);
		}
	}
	force[i] = (float4)(f, energy);
}

struct body {
	float x, y, z, mass;
	float density;
	int cell;
};

// Densities of a fluid: the bodies of a cell and of those beside it lie one after the other.
kernel void sph_density(global const struct body *bodies, global const int *cell, global float *density, float h2, int cells)
{
	int i = get_global_id(0);
	struct body me = bodies[i];
	float sum = 0.0f;
	for (int c = max(me.cell - 1, 0); c <= min(me.cell + 1, cells - 1); c++)
		for (int j = cell[c]; j < cell[c + 1]; j++) {
			float dx = bodies[j].x - me.x, dy = bodies[j].y - me.y, dz = bodies[j].z - me.z;
			float d = h2 - (dx * dx + dy * dy + dz * dz);
			if (d > 0.0f)
				sum += bodies[j].mass * d * d * d;
		}
	density[i] = sum;
}

constant int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
constant int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constant float weight[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

// A step of the lattice Boltzmann method in two dimensions with nine directions, on a torus.
kernel void lattice_boltzmann(global const float *in, global float *out, int w, int h, float omega)
{
	int x = get_global_id(0), y = get_global_id(1), n = w * h;
	float f[9], rho = 0.0f, ux = 0.0f, uy = 0.0f;
	for (int k = 0; k < 9; k++) {
		int sx = x - cx[k], sy = y - cy[k];
		sx = sx < 0 ? w - 1 : sx == w ? 0 : sx;
		sy = sy < 0 ? h - 1 : sy == h ? 0 : sy;
		f[k] = in[k * n + sy * w + sx];
		rho += f[k];
		ux += f[k] * cx[k];
		uy += f[k] * cy[k];
	}
	ux /= rho;
	uy /= rho;
	float square = 1.5f * (ux * ux + uy * uy);
	for (int k = 0; k < 9; k++) {
		float cu = 3.0f * (cx[k] * ux + cy[k] * uy);
		float equal = weight[k] * rho * (1.0f + cu + 0.5f * cu * cu - square);
		out[k * n + y * w + x] = f[k] + omega * (equal - f[k]);
	}
}

// The wave equation in three dimensions; the outermost elements stay.
kernel void wave3d(global const double *now, global const double *before, global double *next, double c)
{
	size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	size_t w = get_global_size(0), h = get_global_size(1), d = get_global_size(2);
	size_t i = (z * h + y) * w + x;
	if (x == 0 || y == 0 || z == 0 || x == w - 1 || y == h - 1 || z == d - 1) {
		next[i] = now[i];
		return;
	}
	double sum = now[i - 1] + now[i + 1] + now[i - w] + now[i + w] + now[i - w * h] + now[i + w * h];
	next[i] = 2.0 * now[i] - before[i] + c * (sum - 6.0 * now[i]);
}

// The game of life on bytes with a dead border.
kernel void generation(global const uchar *in, global uchar *out, int w)
{
	int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
	global const uchar *p = in + y * w + x;
	int n = p[-w - 1] + p[-w] + p[-w + 1] + p[-1] + p[1] + p[w - 1] + p[w] + p[w + 1];
	out[y * w + x] = n == 3 || n == 2 && p[0];
}

// Heat along rods of a work-group each, so many steps.
kernel void heat_rod(global float *t, local float *a, float k, int steps)
{
	int l = get_local_id(0), last = get_local_size(0) - 1;
	a[l] = t[get_global_id(0)];
	for (int s = 0; s < steps; s++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		float left = a[l > 0 ? l - 1 : l], right = a[l < last ? l + 1 : l], here = a[l];
		barrier(CLK_LOCAL_MEM_FENCE);
		a[l] = here + k * (left - 2.0f * here + right);
	}
	t[get_global_id(0)] = a[l];
}
