// A host program with eight threads, each with a queue, a kernel and buffers of its own in one context and program. It
// prints "ok".

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, ROUNDS = 25, N = 256 };

static cl_context context;
static cl_device_id device;
static cl_program program;

static void need(cl_int code, int line) {
	if (code != CL_SUCCESS) {
		printf("threads.c:%d: error %d\n", line, code);
		exit(3);
	}
}
#define NEED(code) need(code, __LINE__)

static void *work(void *at) {
	cl_int err, number = *(cl_int *)at, values[N];
	size_t n = N;
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	NEED(err);
	cl_kernel kernel = clCreateKernel(program, "add", &err);
	NEED(err);
	for (int round = 0; round < ROUNDS; round++) {
		cl_event over;
		for (int i = 0; i < N; i++)
			values[i] = i;
		cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &err);
		NEED(err);
		NEED(clSetKernelArg(kernel, 0, sizeof m, &m));
		NEED(clSetKernelArg(kernel, 1, sizeof number, &number));
		NEED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, &over));
		NEED(clReleaseMemObject(m)); // the launch holds it, and so does the read
		NEED(clWaitForEvents(1, &over));
		NEED(clReleaseEvent(over));
		m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof values, values, &err);
		NEED(err);
		NEED(clSetKernelArg(kernel, 0, sizeof m, &m));
		NEED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
		NEED(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
		NEED(clReleaseMemObject(m));
		for (int i = 0; i < N; i++)
			if (values[i] != i + number) {
				printf("thread %d, round %d: element %d is %d\n", number, round, i, values[i]);
				exit(4);
			}
	}
	NEED(clReleaseKernel(kernel));
	NEED(clReleaseCommandQueue(queue));
	return NULL;
}

int main(void) {
	cl_int err, numbers[THREADS];
	cl_platform_id platform;
	NEED(clGetPlatformIDs(1, &platform, NULL));
	NEED(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	NEED(err);
	const char *source = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }";
	program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	NEED(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, work, &numbers[i]) != 0)
			return 5;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	NEED(clReleaseProgram(program));
	NEED(clReleaseContext(context));
	puts("ok");
	return 0;
}
