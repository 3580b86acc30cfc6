// A streaming FIR filter: three kernels that run at the same time, connected by
// pipes. Each has one work-item and handles one sample at a time, so that the
// signal may be longer than any memory that the filter has.
//
//	samples -> source -> x -> fir -> y -> sink -> result
#pragma OPENCL FP_CONTRACT OFF
#define TAPS 8

// A read and a write that wait until there is a packet, or room for one.
void __attribute__((overloadable)) __spirv_ReadPipeBlockingINTEL(read_only pipe float p, float *v, int size, int align);
void __attribute__((overloadable)) __spirv_WritePipeBlockingINTEL(write_only pipe float p, const float *v, int size, int align);
#define TAKE(p, v) __spirv_ReadPipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))
#define GIVE(p, v) __spirv_WritePipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))

kernel void source(global const float *samples, uint n, write_only pipe float x)
{
	for (uint i = 0; i < n; i++) {
		float v = samples[i];
		GIVE(x, v);
	}
}

// y[i] = weights[0] * x[i] + weights[1] * x[i-1] + ... over TAPS samples; what
// lies before the first one is 0.
kernel void fir(read_only pipe float x, write_only pipe float y, constant float *weights, uint n)
{
	float line[TAPS] = {0};
	for (uint i = 0; i < n; i++) {
		for (int k = TAPS - 1; k > 0; k--)
			line[k] = line[k - 1];
		TAKE(x, line[0]);
		float sum = 0;
		for (int k = 0; k < TAPS; k++)
			sum += weights[k] * line[k];
		GIVE(y, sum);
	}
}

kernel void sink(read_only pipe float y, global float *result, uint n)
{
	for (uint i = 0; i < n; i++) {
		float v;
		TAKE(y, v);
		result[i] = v;
	}
}
