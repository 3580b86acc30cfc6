// Three kernels that run together: one makes numbers, one squares them, one stores them.
// A read and a write of a packet that wait until there is one, or room for one.
void __attribute__((overloadable)) __spirv_ReadPipeBlockingINTEL(read_only pipe int p, int *v, int size, int align);
void __attribute__((overloadable)) __spirv_WritePipeBlockingINTEL(write_only pipe int p, const int *v, int size, int align);
#define TAKE(p, v) __spirv_ReadPipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))
#define GIVE(p, v) __spirv_WritePipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))

kernel void source(write_only pipe int x, int n)
{
	for (int i = 0; i < n; i++)
		GIVE(x, i);
}

kernel void square(read_only pipe int x, write_only pipe int y, int n)
{
	for (int i = 0; i < n; i++) {
		int v;
		TAKE(x, v);
		v *= v;
		GIVE(y, v);
	}
}

kernel void sink(read_only pipe int y, global int *out, int n)
{
	for (int i = 0; i < n; i++) {
		int v;
		TAKE(y, v);
		out[i] = v;
	}
}
