// A systolic array: C = A * B by a grid of small kernels, each of which knows
// its neighbours only. Rows of A come in from the west and go east, columns of B
// come in from the north and go south; element (i, j) of the result stays in
// the processing element at row i and column j.
//
//	           B[.][0]    B[.][1]
//	              |          |
//	A[0][.] --> pe 0,0 --> pe 0,1 -->
//	              |          |
//	A[1][.] --> pe 1,0 --> pe 1,1 -->
//	              |          |
//
// What leaves the grid in the east and in the south nobody reads: those pipes
// have room for it.
#pragma OPENCL FP_CONTRACT OFF

void __attribute__((overloadable)) __spirv_ReadPipeBlockingINTEL(read_only pipe float p, float *v, int size, int align);
void __attribute__((overloadable)) __spirv_WritePipeBlockingINTEL(write_only pipe float p, const float *v, int size, int align);
#define TAKE(p, v) __spirv_ReadPipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))
#define GIVE(p, v) __spirv_WritePipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))

// One processing element: n products, the sum of which is c[index].
kernel void pe(read_only pipe float west, read_only pipe float north, write_only pipe float east,
	write_only pipe float south, global float *c, uint index, uint n)
{
	float sum = 0;
	for (uint k = 0; k < n; k++) {
		float a, b;
		TAKE(west, a);
		TAKE(north, b);
		sum += a * b;
		GIVE(east, a);
		GIVE(south, b);
	}
	c[index] = sum;
}
