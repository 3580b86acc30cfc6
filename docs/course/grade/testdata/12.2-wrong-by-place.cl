// A read and a write of a packet that wait until there is one, or room for one.
void __attribute__((overloadable)) __spirv_ReadPipeBlockingINTEL(read_only pipe int p, int *v, int size, int align);
void __attribute__((overloadable)) __spirv_WritePipeBlockingINTEL(write_only pipe int p, const int *v, int size, int align);
#define TAKE(p, v) __spirv_ReadPipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))
#define GIVE(p, v) __spirv_WritePipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))

kernel void router(global const int *in, int n, write_only pipe int even, write_only pipe int odd)
{
	for (int i = 0; i < n; i++) {
		int v = in[i];
		if (i % 2 == 0)
			GIVE(even, v);
		else
			GIVE(odd, v);
	}
	int end = -1;
	GIVE(even, end);
	GIVE(odd, end);
}

kernel void collect(read_only pipe int p, global int *out)
{
	int count = 0, v;
	for (;;) {
		TAKE(p, v);
		if (v < 0)
			break;
		count++;
		out[count] = v;
	}
	out[0] = count;
}
