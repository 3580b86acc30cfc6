// A read and a write of a packet that wait until there is one, or room for one.
void __attribute__((overloadable)) __spirv_ReadPipeBlockingINTEL(read_only pipe int p, int *v, int size, int align);
void __attribute__((overloadable)) __spirv_WritePipeBlockingINTEL(write_only pipe int p, const int *v, int size, int align);
#define TAKE(p, v) __spirv_ReadPipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))
#define GIVE(p, v) __spirv_WritePipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))

kernel void produce(global const int *in, int n, write_only pipe int p)
{
	for (int i = 0; i < n; i++) {
		int v = in[i];
		GIVE(p, v);
	}
}

kernel void consume(read_only pipe int p, int n, global int *out)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		int v;
		if (read_pipe(p, &v) != 0)
			v = 0;
		sum += v;
		out[i] = sum;
	}
}
