// Neural networks: quantised products, a convolution of halves, attention and normalisation.
#pragma OPENCL FP_CONTRACT OFF

// Rows of a and rows of b are four bytes an element.
kernel void qgemm(global const char4 *a, global const char4 *b, global const int *bias, global char *c, int k, float scale)
{
	int row = get_global_id(1), col = get_global_id(0), n = get_global_size(0);
	int sum = bias[col];
	for (int i = 0; i < k; i++) {
		int4 x = convert_int4(a[row * k + i]), y = convert_int4(b[col * k + i]);
		int4 p = x * y;
		sum += p.x + p.y + p.z + p.w;
	}
	c[row * n + col] = convert_char_sat_rte((float)sum * scale);
}

// Three by three, one filter a channel, zeros around the picture, channels last.
kernel void depthwise(global const half *in, global const half *weight, global half *out, int w, int h, int channels)
{
	int c = get_global_id(0), x = get_global_id(1), y = get_global_id(2);
	float sum = 0.0f;
	for (int j = 0; j < 3; j++)
		for (int i = 0; i < 3; i++) {
			int sx = x + i - 1, sy = y + j - 1;
			if (sx < 0 || sy < 0 || sx >= w || sy >= h)
				continue;
			sum += vload_half((sy * w + sx) * channels + c, in) * vload_half((3 * j + i) * channels + c, weight);
		}
	vstore_half_rte(fmax(sum, 0.0f), (y * w + x) * channels + c, out);
}

// A work-group for a row.
kernel void softmax(global const float *in, global float *out, local float *part, int n)
{
	int l = get_local_id(0), size = get_local_size(0);
	global const float *row = in + get_group_id(0) * n;
	float most = -INFINITY;
	for (int i = l; i < n; i += size)
		most = fmax(most, row[i]);
	part[l] = most;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = size / 2; step > 0; step >>= 1) {
		if (l < step)
			part[l] = fmax(part[l], part[l + step]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	most = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	float sum = 0.0f;
	for (int i = l; i < n; i += size)
		sum += exp(row[i] - most);
	part[l] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = size / 2; step > 0; step >>= 1) {
		if (l < step)
			part[l] += part[l + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (int i = l; i < n; i += size)
		out[get_group_id(0) * n + i] = exp(row[i] - most) / part[0];
}

// A work-item for a row of n times four elements.
kernel void layernorm(global const float4 *in, global const float4 *gain, global const float4 *shift, global float4 *out, int n)
{
	global const float4 *p = in + get_global_id(0) * n;
	global float4 *q = out + get_global_id(0) * n;
	float4 sum = 0.0f;
	for (int i = 0; i < n; i++)
		sum += p[i];
	float mean = (sum.x + sum.y + sum.z + sum.w) / (4 * n);
	float squares = 0.0f;
	for (int i = 0; i < n; i++) {
		float4 d = p[i] - mean;
		squares += dot(d, d);
	}
	float scale = rsqrt(squares / (4 * n) + 1e-5f);
	for (int i = 0; i < n; i++)
		*q++ = (p[i] - mean) * scale * gain[i] + shift[i];
}

#define HEAD 16

// One query a work-item: the weights of keys so far are rescaled when a greater one comes.
kernel void attention(global const float *query, global const float *key, global const float *value, global float *out, int keys)
{
	int i = get_global_id(0);
	float q[HEAD], acc[HEAD];
	for (int d = 0; d < HEAD; d++) {
		q[d] = query[i * HEAD + d] * 0.25f;
		acc[d] = 0.0f;
	}
	float most = -INFINITY, total = 0.0f;
	for (int k = 0; k < keys; k++) {
		float s = 0.0f;
		for (int d = 0; d < HEAD; d++)
			s += q[d] * key[k * HEAD + d];
		if (s > most) {
			float down = exp(most - s);
			total *= down;
			for (int d = 0; d < HEAD; d++)
				acc[d] *= down;
			most = s;
		}
		float weight = exp(s - most);
		total += weight;
		for (int d = 0; d < HEAD; d++)
			acc[d] += weight * value[k * HEAD + d];
	}
	for (int d = 0; d < HEAD; d++)
		out[i * HEAD + d] = acc[d] / total;
}

kernel void gelu(global const float *in, global const float *bias, global float *out, uint columns)
{
	uint i = get_global_id(0);
	float x = in[i] + bias[i % columns];
	out[i] = 0.5f * x * (1.0f + tanh(0.797884561f * (x + 0.044715f * x * x * x)));
}
