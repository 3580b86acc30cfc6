// A host program with eight threads for ThreadSanitizer and Go's race detector. The threads share a context, a program,
// buffers and two queues, and have queues of their own; they create, enqueue, wait, set callbacks and release at the same
// time, also objects that other threads have made. It prints "ok".

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 8, N = 64 };

static cl_context context;
static cl_device_id device;
static cl_program program;
static cl_command_queue in_order, out_of_order;
static cl_mem common;
static atomic_long callbacks, wanted;
static int rounds = 30;

static void need(cl_int code, int line) {
	if (code != CL_SUCCESS) {
		printf("races.c:%d: error %d\n", line, code);
		exit(3);
	}
}
#define NEED(code) need(code, __LINE__)

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data) { atomic_fetch_add(&callbacks, 1); }
static void CL_CALLBACK on_memory(cl_mem memory, void *data) { atomic_fetch_add(&callbacks, 1); }

// An event goes from one thread to the next, which waits for it and releases it.
static _Atomic(cl_event) passed[THREADS];

static void *work(void *at) {
	cl_int err, number = *(cl_int *)at;
	cl_int *values = malloc(N * sizeof *values);
	size_t n = N;
	cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	NEED(err);
	cl_kernel kernel = clCreateKernel(program, "add", &err);
	NEED(err);
	cl_command_queue queues[] = {own, in_order, out_of_order};
	for (int round = 0; round < rounds; round++) {
		cl_command_queue queue = queues[(round + number) % 3];
		cl_event first, second, user;
		for (int i = 0; i < N; i++)
			values[i] = i;
		cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, N * sizeof *values, values, &err);
		NEED(err);
		cl_buffer_region part = {0, N * sizeof *values};
		cl_mem sub = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err);
		NEED(err);
		atomic_fetch_add(&wanted, 1);
		NEED(clSetMemObjectDestructorCallback(m, on_memory, NULL));
		user = clCreateUserEvent(context, &err);
		NEED(err);
		NEED(clSetKernelArg(kernel, 0, sizeof sub, &sub));
		NEED(clSetKernelArg(kernel, 1, sizeof number, &number));
		NEED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 1, &user, &first));
		atomic_fetch_add(&wanted, 2);
		NEED(clSetEventCallback(first, CL_COMPLETE, on_event, NULL));
		NEED(clSetEventCallback(first, CL_RUNNING, on_event, NULL));
		NEED(clReleaseMemObject(sub));
		NEED(clSetUserEventStatus(user, CL_COMPLETE));
		NEED(clReleaseEvent(user));
		NEED(clEnqueueReadBuffer(queues[round % 3], m, CL_FALSE, 0, N * sizeof *values, values, 1, &first, &second));
		NEED(clReleaseMemObject(m));
		NEED(clEnqueueCopyBuffer(queue, common, common, 0, N * sizeof *values, 64, 0, NULL, NULL));
		cl_uint references;
		NEED(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, NULL));
		NEED(clRetainContext(context));
		NEED(clWaitForEvents(1, &second));
		for (int i = 0; i < N; i++)
			if (values[i] != i + number) {
				printf("thread %d, round %d: element %d is %d\n", number, round, i, values[i]);
				exit(4);
			}
		NEED(clReleaseContext(context));
		NEED(clReleaseEvent(second));
		cl_event other = atomic_exchange(&passed[(number + round) % THREADS], first);
		if (other != NULL) {
			NEED(clWaitForEvents(1, &other));
			NEED(clReleaseEvent(other));
		}
		if (round % 8 == 0) {
			cl_kernel clone = clCloneKernel(kernel, &err);
			NEED(err);
			NEED(clReleaseKernel(clone));
			NEED(clFinish(queue));
			void *p = clSVMAlloc(context, 0, 256, 0);
			NEED(clEnqueueSVMFree(queue, 1, &p, NULL, NULL, 0, NULL, NULL));
		}
	}
	NEED(clReleaseKernel(kernel));
	NEED(clFinish(own));
	NEED(clReleaseCommandQueue(own));
	free(values);
	return NULL;
}

int main(int argc, char **argv) {
	cl_int err, numbers[THREADS];
	cl_platform_id platform;
	if (argc > 1)
		rounds = atoi(argv[1]);
	NEED(clGetPlatformIDs(1, &platform, NULL));
	NEED(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	NEED(err);
	cl_queue_properties any_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	in_order = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	NEED(err);
	out_of_order = clCreateCommandQueueWithProperties(context, device, any_order, &err);
	NEED(err);
	common = clCreateBuffer(context, 0, 4096, NULL, &err);
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
	for (int i = 0; i < THREADS; i++)
		if (passed[i] != NULL)
			NEED(clReleaseEvent(passed[i]));
	NEED(clFinish(in_order));
	NEED(clFinish(out_of_order));
	while (atomic_load(&callbacks) < atomic_load(&wanted))
		usleep(1000);
	NEED(clReleaseMemObject(common));
	NEED(clReleaseCommandQueue(in_order));
	NEED(clReleaseCommandQueue(out_of_order));
	NEED(clReleaseProgram(program));
	NEED(clReleaseContext(context));
	puts("ok");
	return 0;
}
