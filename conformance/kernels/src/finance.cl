// Prices of options.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

uint next(uint *s)
{
	uint x = *s;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *s = x;
}

// The mean payoff of an option on the mean price along random paths.
kernel void asian_option(global const uint *seed, global float *mean, int paths, int steps, float drift, float volatility, float strike)
{
	int id = get_global_id(0);
	uint s = seed[id] | 1;
	float total = 0.0f;
	for (int p = 0; p < paths; p++) {
		float price = 100.0f, sum = 0.0f;
		for (int k = 0; k < steps; k++) {
			float u = (float)(next(&s) >> 8) * 0x1p-24f + 0x1p-25f;
			float v = (float)(next(&s) >> 8) * 0x1p-24f;
			float normal = sqrt(-2.0f * log(u)) * native_cos(6.28318531f * v);
			price *= half_exp(drift + volatility * normal);
			sum += price;
		}
		total += fmax(sum / steps - strike, 0.0f);
	}
	mean[id] = total / paths;
}

// A work-group goes back through a tree of prices.
kernel void binomial_tree(global const float *price, global const float *strike, global float *value, local float *v,
	float up, float down, float p)
{
	int l = get_local_id(0), g = get_group_id(0), n = get_local_size(0) - 1;
	float s = price[g];
	for (int i = 0; i < n; i++)
		s *= i < l ? up : down;
	v[l] = fmax(strike[g] - s, 0.0f);
	for (int k = n; k > 0; k--) {
		barrier(CLK_LOCAL_MEM_FENCE);
		float now = 0.0f;
		if (l < k)
			now = p * v[l + 1] + (1.0f - p) * v[l];
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < k)
			v[l] = now;
	}
	if (l == 0)
		value[g] = v[0];
}

// The volatility that gives a call its price, by Newton's method in double precision.
kernel void implied_volatility(global const float *spot, global const float *strike, global const float *wanted, global float *out, int steps)
{
	size_t i = get_global_id(0);
	double s = spot[i], k = strike[i], vol = 0.5;
	double price = s * wanted[i];
	for (int n = 0; n < steps; n++) {
		double d1 = log(s / k) / vol + 0.5 * vol;
		double d2 = d1 - vol;
		double call = 0.5 * (s * erfc(-d1 * M_SQRT1_2) - k * erfc(-d2 * M_SQRT1_2));
		double vega = s * exp(-0.5 * d1 * d1) * 0.3989422804014327;
		vol = clamp(vol - (call - price) / fmax(vega, 1e-3), 0.01, 4.0);
	}
	out[i] = (float)vol;
}
