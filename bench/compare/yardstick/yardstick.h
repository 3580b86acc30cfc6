// What the kernels in C have in common. Each runs work-items of one launch with
// sixteen of them in a vector, and leaves the bits of the OpenCL kernel of its
// name.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

// struct launch has the arguments of the OpenCL kernel, buffers and values
// alike as pointers to their bytes, and the numbers of work-items.
struct launch {
	void *arg[8];
	size_t global[3];
};

#define VALUE(type, l, i) (*(const type *)(l)->arg[i])
