// Kernels with structures for the sessions of the command line. structs.spv is made of this with
//
//   clang-15 -c -x cl -cl-std=CL2.0 -target spir64-unknown-unknown -emit-llvm -O0 \
//     -fno-discard-value-names -Xclang -finclude-default-header structs.cl -o structs.bc
//   llvm-spirv-15 structs.bc -o structs.spv

typedef struct {
	int count;
	double factor;
	uchar flag;
} plain;

typedef struct {
	char tag;
	float4 color;
	short tail[3];
} gaps;

typedef struct {
	plain first;
	float matrix[2][3];
	float3 axis;
} nested;

typedef struct __attribute__((packed)) {
	char tag;
	int value;
} packed;

typedef struct {
	int list[100];
	plain one;
} large;

kernel void values(global double *out, plain p, gaps g, nested n)
{
	out[0] = p.count * p.factor + p.flag;
	out[1] = g.tag + g.color.w + g.tail[2];
	out[2] = n.first.factor + n.matrix[1][2] + n.axis.z;
}

kernel void unplaced(global int *out, packed p, large l)
{
	out[0] = p.value + l.list[99] + l.one.count;
}

kernel void pointers(global const plain *in, global nested *out, local packed *scratch, constant gaps *table)
{
	size_t i = get_local_id(0);
	scratch[i].value = in[i].count;
	out[i].axis.x = scratch[i].value + table->color.x;
}
