// A read and a write of a packet that wait until there is one, or room for one.
void __attribute__((overloadable)) __spirv_ReadPipeBlockingINTEL(read_only pipe int p, int *v, int size, int align);
void __attribute__((overloadable)) __spirv_WritePipeBlockingINTEL(write_only pipe int p, const int *v, int size, int align);
#define TAKE(p, v) __spirv_ReadPipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))
#define GIVE(p, v) __spirv_WritePipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))

kernel void numbers(write_only pipe int x, int n)
{
	for (int i = 0; i < n; i++) {
		int v = 3 * i - 5;
		GIVE(x, v);
	}
}

kernel void pair_sums(read_only pipe int x, write_only pipe int y, int n)
{
	for (int i = 0; i < n / 4; i++) {
		int a, b;
		TAKE(x, a);
		TAKE(x, b);
		int sum = a + b;
		GIVE(y, sum);
	}
}

kernel void store(read_only pipe int y, global int *out, int n)
{
	for (int i = 0; i < n / 2; i++) {
		int v;
		TAKE(y, v);
		out[i] = v;
	}
}
