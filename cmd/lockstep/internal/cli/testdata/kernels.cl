// Kernels for the sessions of the command line. kernels.spv is made of this with
//
//   clang-15 -c -x cl -cl-std=CL2.0 -target spir64-unknown-unknown -emit-llvm -O2 -gline-tables-only \
//     -fno-discard-value-names -fdebug-compilation-dir=. -Xclang -finclude-default-header kernels.cl -o kernels.bc
//   llvm-spirv-15 kernels.bc -o kernels.spv

typedef struct {
	char tag;
	double weight;
	int2 pair;
} record;

kernel void ids(global uint *out)
{
	size_t x = get_global_id(0), y = get_global_id(1);
	out[(y - get_global_offset(1)) * get_global_size(0) + (x - get_global_offset(0))] =
		(uint)(10000 * get_group_id(0) + 100 * x + y);
}

kernel void past(global int *data, int n)
{
	data[get_global_id(0)] = n;
}

kernel void divide(global const int *a, global const int *b, global int *out)
{
	size_t i = get_global_id(0);
	out[i] = a[i] / b[i];
}

kernel void forever(global volatile int *flag)
{
	while (*flag == 0)
		;
}

kernel void uneven(global int *out, local int *scratch)
{
	size_t l = get_local_id(0);
	if (l < 3) {
		scratch[l] = (int)l;
		barrier(CLK_LOCAL_MEM_FENCE);
	} else {
		barrier(CLK_LOCAL_MEM_FENCE);
		scratch[l] = 1;
	}
	out[get_global_id(0)] = scratch[0];
}

kernel void leave(global int *out, int limit)
{
	int i = (int)get_global_id(0);
	if (i >= limit)
		return;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = i;
}

kernel void hello(int n)
{
	printf("hello from %d of %d: %s %5.2f\n", (int)get_global_id(0), n, "text", 0.5f * get_global_id(0));
}

kernel void vectors(float4 v, uchar3 w, record r, global float4 *out, global double *more)
{
	size_t i = get_global_id(0);
	out[i] = v + convert_float4((uchar4)(w, 0)) * (float)i;
	more[i] = r.weight + r.tag + r.pair.x - r.pair.y;
}

kernel void reverse(global const int *in, global int *out, local int *scratch)
{
	size_t l = get_local_id(0), n = get_local_size(0);
	scratch[l] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = scratch[n - 1 - l];
}

kernel void maybe(global const int *a, global int *out)
{
	out[get_global_id(0)] = a ? a[0] : -1;
}

kernel void order(global uint *counter, global uint *place)
{
	place[get_global_id(0)] = atomic_inc(counter);
}
