// A host program that reads its kernels from the file in its argument and launches three: fill with 10, fill with 20,
// and sum. It prints the sum, and ends with the exit status 7.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static void need(cl_int code, const char *what) {
	if (code != CL_SUCCESS) {
		printf("%s: error %d\n", what, code);
		exit(3);
	}
}
#define NEED(call) need(call, #call)

int main(int argc, char **argv) {
	static char text[1 << 16];
	FILE *f = fopen(argv[argc - 1], "rb");
	if (!f || !fread(text, 1, sizeof text - 1, f))
		return 4;
	fclose(f);
	const char *source = text;
	cl_int err;
	cl_platform_id platform;
	cl_device_id device;
	NEED(clGetPlatformIDs(1, &platform, NULL));
	NEED(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	need(err, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	need(err, "clCreateCommandQueueWithProperties");
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	need(err, "clCreateProgramWithSource");
	NEED(clBuildProgram(program, 0, NULL, "-g", NULL, NULL));
	int n = 8, total = 0;
	cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(int), NULL, &err);
	need(err, "clCreateBuffer");
	cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof total, NULL, &err);
	need(err, "clCreateBuffer");
	cl_kernel fill = clCreateKernel(program, "fill", &err), sum = clCreateKernel(program, "sum", &err);
	need(err, "clCreateKernel");
	NEED(clSetKernelArg(fill, 0, sizeof a, &a));
	for (int v = 10; v <= 20; v += 10) {
		size_t size = n;
		NEED(clSetKernelArg(fill, 1, sizeof v, &v));
		NEED(clEnqueueNDRangeKernel(queue, fill, 1, NULL, &size, &size, 0, NULL, NULL));
	}
	size_t one = 1;
	NEED(clSetKernelArg(sum, 0, sizeof a, &a));
	NEED(clSetKernelArg(sum, 1, sizeof to, &to));
	NEED(clSetKernelArg(sum, 2, sizeof n, &n));
	NEED(clEnqueueNDRangeKernel(queue, sum, 1, NULL, &one, NULL, 0, NULL, NULL));
	NEED(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof total, &total, 0, NULL, NULL));
	printf("sum %d\n", total);
	return 7;
}
