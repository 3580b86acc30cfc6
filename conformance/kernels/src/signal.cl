// Signals: filters of samples, a transform of blocks, tracks that are mixed, a convolution.
#pragma OPENCL FP_CONTRACT OFF

kernel void fir16(global const short *in, constant short *taps, global short *out, int n)
{
	int i = get_global_id(0);
	int sum = 1 << 8;
	for (int k = 0; k < n; k++)
		sum += in[i + k] * taps[k];
	out[i] = convert_short_sat(sum >> 9);
}

// One recursive filter a channel; the samples of the channels are interleaved.
kernel void biquad(global const float *in, global float *out, constant float *k, int channels, int frames)
{
	float z1 = 0.0f, z2 = 0.0f;
	for (int i = get_global_id(0); frames-- > 0; i += channels) {
		float x = in[i];
		float y = k[0] * x + z1;
		z1 = k[1] * x - k[3] * y + z2;
		z2 = k[2] * x - k[4] * y;
		out[i] = y;
	}
}

kernel void dct8x8(global const uchar *in, global short *out, constant float *c, int pitch)
{
	local float tile[8][9];
	int u = get_local_id(0), v = get_local_id(1);
	int at = (int)get_global_id(1) * pitch + (int)get_global_id(0);
	tile[v][u] = (float)in[at] - 128.0f;
	barrier(CLK_LOCAL_MEM_FENCE);
	float sum = 0.0f;
	for (int k = 0; k < 8; k++)
		sum += tile[v][k] * c[8 * u + k];
	barrier(CLK_LOCAL_MEM_FENCE);
	tile[v][u] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	sum = 0.0f;
	for (int k = 0; k < 8; k++)
		sum += tile[k][u] * c[8 * v + k];
	out[at] = convert_short_rte(0.25f * sum);
}

kernel void mix_tracks(global const short8 *tracks, constant uchar *gain, global short8 *out, int count)
{
	size_t i = get_global_id(0), n = get_global_size(0);
	short8 sum = 0;
	for (int t = 0; t < count; t++) {
		int8 v = convert_int8(tracks[t * n + i]) * gain[t];
		sum = add_sat(sum, convert_short8_sat(v >> 7));
	}
	out[i] = sum;
}

// The picture has a border of two elements.
kernel void convolve5x5(global const float *in, constant float *weight, global float *out, int w)
{
	local float tile[20][20];
	int lx = get_local_id(0), ly = get_local_id(1);
	int x = get_global_id(0), y = get_global_id(1);
	for (int j = ly; j < 20; j += 16)
		for (int i = lx; i < 20; i += 16)
			tile[j][i] = in[(y - ly + j) * (w + 4) + x - lx + i];
	barrier(CLK_LOCAL_MEM_FENCE);
	float sum = 0.0f;
	for (int j = 0; j < 5; j++)
		for (int i = 0; i < 5; i++)
			sum = mad(tile[ly + j][lx + i], weight[5 * j + i], sum);
	out[y * w + x] = sum;
}
