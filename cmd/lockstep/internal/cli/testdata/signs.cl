// A kernel with debug information and without strings of its types, for the sessions of the command line. signs.spv is made of
// this with
//
//   clang-15 -c -x cl -cl-std=CL2.0 -target spir64-unknown-unknown -emit-llvm -O1 -g \
//     -fno-discard-value-names -fdebug-compilation-dir=. -Xclang -finclude-default-header signs.cl -o signs.bc
//   llvm-spirv-15 signs.bc -o signs.spv

typedef unsigned short half_word;
typedef int count_t;

kernel void signs(global int *a, global const uint *b, char c, uchar4 d, long3 e, global half_word *h, local short *l,
                  float f, count_t n, constant char *s)
{
	a[0] = b[0] + c + d.x + e.x + h[0] + l[0] + f + n + s[0];
}
