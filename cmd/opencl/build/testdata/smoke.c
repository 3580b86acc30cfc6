// A host program that goes through the driver once: every kind of object, commands, events, callbacks and errors. It
// prints what is wrong with a line number, and "ok" at the end.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N 1000

static int wrong;

static void check_at(int line, const char *what, long got, long want) {
	if (got != want) {
		printf("smoke.c:%d: %s is %ld, not %ld\n", line, what, got, want);
		wrong = 1;
	}
}
#define CHECK(e, want) check_at(__LINE__, #e, (long)(e), (long)(want))

static const char *source =
	"kernel void add(global const int *a, global const int *b, global int *c) {\n"
	"	size_t i = get_global_id(0);\n"
	"	c[i] = a[i] + b[i];\n"
	"}\n"
	"kernel void outside(global int *a, int n) { a[n] = 1; }\n"
	"kernel void say(int n) { printf(\"n = %d\\n\", n); }\n"
	"kernel void copy(read_only image2d_t from, write_only image2d_t to) {\n"
	"	int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imageui(to, at, read_imageui(from, at) + 1u);\n"
	"}\n";

static char order[16];
static int calls;
static void CL_CALLBACK destroyed(cl_mem m, void *data) { order[calls++] = *(char *)data; }
static int told;
static void CL_CALLBACK tell(const char *text, const void *p, size_t n, void *data) { told += strstr(text, "out-of-bounds") != NULL; }
static volatile int finished;
static void CL_CALLBACK over(cl_event e, cl_int status, void *data) { *(volatile int *)data = 1 + status; }

int main(void) {
	cl_int err;
	cl_platform_id platform;
	cl_device_id device;
	CHECK(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
	cl_context context = clCreateContext(NULL, 1, &device, tell, NULL, &err);
	CHECK(err, CL_SUCCESS);
	cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, profiling, &err);
	CHECK(err, CL_SUCCESS);

	// A program that is wrong, and one that is right.
	const char *bad = "kernel void k(global int *a) { a[0] = b; }";
	cl_program program = clCreateProgramWithSource(context, 1, &bad, NULL, &err);
	CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	char log[4096];
	CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL), CL_SUCCESS);
	if (strstr(log, "program.cl:1:39: error: the name 'b' is not declared") == NULL)
		printf("the log is: %s\n", log), wrong = 1;
	CHECK(clReleaseProgram(program), CL_SUCCESS);
	CHECK(clReleaseProgram(program), CL_INVALID_PROGRAM);
	program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	CHECK(clBuildProgram(program, 0, NULL, "-cl-nothing", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
	CHECK(clBuildProgram(program, 1, &device, "-cl-std=CL3.0 -D N=1", NULL, NULL), CL_SUCCESS);
	CHECK(clCreateKernel(program, "nothing", &err) == NULL, 1);
	CHECK(err, CL_INVALID_KERNEL_NAME);
	cl_kernel add = clCreateKernel(program, "add", &err);
	CHECK(err, CL_SUCCESS);

	// Buffers: with the host's memory, with a copy, and mapped.
	int a[N], b[N], c[N];
	for (int i = 0; i < N; i++)
		a[i] = i, b[i] = 7;
	cl_mem ma = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &err);
	cl_mem mb = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof b, b, &err);
	cl_mem mc = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof c, NULL, &err);
	CHECK(err, CL_SUCCESS);
	CHECK(clCreateBuffer(context, 0, 0, NULL, &err) == NULL, 1);
	CHECK(err, CL_INVALID_BUFFER_SIZE);
	CHECK(clSetKernelArg(add, 0, sizeof ma, &ma), CL_SUCCESS);
	CHECK(clSetKernelArg(add, 1, sizeof mb, &mb), CL_SUCCESS);
	size_t n = N, wave = 300;
	CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &n, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
	CHECK(clSetKernelArg(add, 2, 3, &mc), CL_INVALID_ARG_SIZE);
	CHECK(clSetKernelArg(add, 3, sizeof mc, &mc), CL_INVALID_ARG_INDEX);
	CHECK(clSetKernelArg(add, 2, sizeof mc, &mc), CL_SUCCESS);

	// A user event holds the launch back.
	cl_event gate = clCreateUserEvent(context, &err), ran, read;
	CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &n, &wave, 1, &gate, &ran), CL_SUCCESS);
	CHECK(clSetEventCallback(ran, CL_COMPLETE, over, (void *)&finished), CL_SUCCESS);
	CHECK(clEnqueueReadBuffer(queue, mc, CL_FALSE, 0, sizeof c, c, 1, &ran, &read), CL_SUCCESS);
	cl_int status;
	CHECK(clGetEventInfo(ran, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
	CHECK(status >= CL_SUBMITTED, 1);
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
	CHECK(clWaitForEvents(1, &read), CL_SUCCESS);
	for (int i = 0; i < N; i++)
		CHECK(c[i], i + 7);
	for (int i = 0; i < 2000 && !finished; i++)
		usleep(1000);
	CHECK(finished, 1);
	cl_ulong start, end;
	CHECK(clGetEventProfilingInfo(ran, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), CL_SUCCESS);
	CHECK(clGetEventProfilingInfo(ran, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), CL_SUCCESS);
	CHECK(start > 0 && start <= end, 1);

	// The host's memory is up to date while it is mapped.
	int *p = clEnqueueMapBuffer(queue, mb, CL_TRUE, CL_MAP_WRITE, 4, 8, 0, NULL, NULL, &err);
	CHECK(err, CL_SUCCESS);
	CHECK(p == b + 1, 1);
	p[0] = p[1] = 50;
	CHECK(clEnqueueUnmapMemObject(queue, mb, p + 1, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK(clEnqueueUnmapMemObject(queue, mb, p, 0, NULL, NULL), CL_SUCCESS);
	CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &n, NULL, 0, NULL, NULL), CL_SUCCESS);
	CHECK(clEnqueueReadBuffer(queue, mc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL), CL_SUCCESS);
	CHECK(c[0], 7);
	CHECK(c[2], 52);
	CHECK(clEnqueueReadBuffer(queue, mc, CL_TRUE, 1, sizeof c, c, 0, NULL, NULL), CL_INVALID_VALUE);

	// A kernel that goes outside of its buffer ends with an error, which reaches who waits.
	cl_kernel outside = clCreateKernel(program, "outside", &err);
	int far = N;
	CHECK(clSetKernelArg(outside, 0, sizeof mc, &mc), CL_SUCCESS);
	CHECK(clSetKernelArg(outside, 1, sizeof far, &far), CL_SUCCESS);
	cl_event fault, behind;
	size_t one = 1;
	CHECK(clEnqueueNDRangeKernel(queue, outside, 1, NULL, &one, NULL, 0, NULL, &fault), CL_SUCCESS);
	CHECK(clEnqueueMarkerWithWaitList(queue, 1, &fault, &behind), CL_SUCCESS);
	CHECK(clWaitForEvents(1, &behind), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(clGetEventInfo(fault, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
	CHECK(status, CL_OUT_OF_RESOURCES);
	CHECK(told, 1);

	// printf
	cl_kernel say = clCreateKernel(program, "say", &err);
	CHECK(clSetKernelArg(say, 0, sizeof far, &far), CL_SUCCESS);
	printf("before\n");
	CHECK(clEnqueueTask(queue, say, 0, NULL, NULL), CL_SUCCESS);
	CHECK(clFinish(queue), CL_SUCCESS);
	printf("after\n");

	// Images
	cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 5, .image_height = 3};
	cl_mem from = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &err), to = clCreateImage(context, 0, &format, &desc, NULL, &err);
	CHECK(err, CL_SUCCESS);
	cl_uint color[4] = {1, 2, 3, 4};
	size_t origin[3] = {0, 0, 0}, region[3] = {5, 3, 1}, pixel[3] = {4, 2, 0}, unit[3] = {1, 1, 1};
	CHECK(clEnqueueFillImage(queue, from, color, origin, region, 0, NULL, NULL), CL_SUCCESS);
	cl_kernel copy = clCreateKernel(program, "copy", &err);
	CHECK(clSetKernelArg(copy, 0, sizeof from, &from), CL_SUCCESS);
	CHECK(clSetKernelArg(copy, 1, sizeof to, &to), CL_SUCCESS);
	CHECK(clEnqueueNDRangeKernel(queue, copy, 2, NULL, region, NULL, 0, NULL, NULL), CL_SUCCESS);
	unsigned char rgba[4];
	CHECK(clEnqueueReadImage(queue, to, CL_TRUE, pixel, unit, 0, 0, rgba, 0, NULL, NULL), CL_SUCCESS);
	CHECK(rgba[0] == 2 && rgba[3] == 5, 1);
	CHECK(clEnqueueReadImage(queue, to, CL_TRUE, pixel, region, 0, 0, rgba, 0, NULL, NULL), CL_INVALID_VALUE);

	// Destructors run in reverse order, when the last reference is gone.
	CHECK(clSetMemObjectDestructorCallback(mc, destroyed, "1"), CL_SUCCESS);
	CHECK(clSetMemObjectDestructorCallback(mc, destroyed, "2"), CL_SUCCESS);
	CHECK(clRetainMemObject(mc), CL_SUCCESS);
	CHECK(clReleaseMemObject(mc), CL_SUCCESS);
	CHECK(calls, 0);
	CHECK(clReleaseMemObject(mc), CL_SUCCESS);
	CHECK(strcmp(order, "21"), 0);
	CHECK(clReleaseMemObject(mc), CL_INVALID_MEM_OBJECT);
	CHECK(clRetainContext((cl_context)queue), CL_INVALID_CONTEXT);
#ifdef DIRECT // the loader reads what a handle points to
	CHECK(clFinish((cl_command_queue)order), CL_INVALID_COMMAND_QUEUE);
	CHECK(clFinish((cl_command_queue)1), CL_INVALID_COMMAND_QUEUE);
#endif
	CHECK(clReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);

	cl_mem objects[] = {ma, mb, from, to};
	for (int i = 0; i < 4; i++)
		CHECK(clReleaseMemObject(objects[i]), CL_SUCCESS);
	cl_event events[] = {gate, ran, read, fault, behind};
	for (int i = 0; i < 5; i++)
		CHECK(clReleaseEvent(events[i]), CL_SUCCESS);
	cl_kernel kernels[] = {add, outside, say, copy};
	CHECK(clReleaseProgram(program), CL_SUCCESS);
	for (int i = 0; i < 4; i++)
		CHECK(clReleaseKernel(kernels[i]), CL_SUCCESS);
	CHECK(clReleaseCommandQueue(queue), CL_SUCCESS);
	CHECK(clReleaseContext(context), CL_SUCCESS);
	CHECK(clReleaseContext(context), CL_INVALID_CONTEXT);
	if (!wrong)
		printf("ok\n");
	return wrong;
}
