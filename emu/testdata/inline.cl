// Functions that a kernel calls, of which the compiler inlines those that it
// can: what faults inside of them is reported with its chain of calls.
struct sample {
	int weight;
	float4 value;
};

static float load(global const float *p, int i) {
	return p[i];
}

static float pair(global const float *p, int i) {
	return load(p, i) + load(p, i + 1);
}

kernel void filter(global const float *x, global float *y) {
	int i = get_global_id(0);
	y[i] = pair(x, i);
}

kernel void weigh(global struct sample *samples, global float *y, int n) {
	int i = get_global_id(0);
	for (int k = 0; k < n; k++) {
		int at = i + k;
		y[i] += samples[at].value.y;
	}
}
