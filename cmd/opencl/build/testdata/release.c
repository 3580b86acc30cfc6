// A host program that releases memory objects while a kernel runs, which waits for the host. It prints "ok".
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int line;
static void check(int ok, const char *text) {
	if (!ok) {
		printf("line %d: %s\n", line, text);
		exit(1);
	}
}
#define CHECK(x) (line = __LINE__, check((x), #x))
#define OK(x) CHECK((x) == CL_SUCCESS)

static const char *source =
	"kernel void wait(global atomic_int *flag, global int *out) {\n"
	"	atomic_store(flag, 1);\n"
	"	while (atomic_load(flag) != 2)\n"
	"		;\n"
	"	*out = 7;\n"
	"}\n";

static char calls[16];
static atomic_int count;
static void CL_CALLBACK destroyed(cl_mem m, void *data) { calls[atomic_fetch_add(&count, 1)] = *(char *)data; }

int main(void) {
	cl_platform_id platform;
	cl_device_id device;
	cl_int err;
	alarm(60); // who waits for the kernel waits for ever
	OK(clGetPlatformIDs(1, &platform, NULL));
	OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	OK(err);
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	OK(err);
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	OK(err);
	OK(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
	cl_kernel kernel = clCreateKernel(program, "wait", &err);
	OK(err);
	atomic_int *flag = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof *flag, 0);
	CHECK(flag != NULL);
	atomic_init(flag, 0);
	void *unused = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
	static _Alignas(4096) cl_int result;
	cl_mem used = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof result, &result, &err);
	OK(err);
	cl_mem other = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 16, NULL, &err);
	OK(err);
	cl_buffer_region region = {0, 1 << 12};
	cl_mem sub = clCreateSubBuffer(other, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
	OK(err);
	cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
	cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
	OK(err);
	cl_mem pipe = clCreatePipe(context, CL_MEM_READ_WRITE, 4, 16, NULL, &err);
	OK(err);
	cl_mem_properties private[] = {0x5000 /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT */, CL_TRUE, 0};
	cl_mem addressed = clCreateBufferWithProperties(context, private, CL_MEM_READ_WRITE, 64, NULL, &err);
	OK(err);
	OK(clSetMemObjectDestructorCallback(used, destroyed, "b"));
	OK(clSetMemObjectDestructorCallback(used, destroyed, "a"));
	OK(clSetMemObjectDestructorCallback(other, destroyed, "d"));
	OK(clSetMemObjectDestructorCallback(sub, destroyed, "c"));
	OK(clSetMemObjectDestructorCallback(image, destroyed, "e"));
	OK(clSetMemObjectDestructorCallback(pipe, destroyed, "f"));
	OK(clSetMemObjectDestructorCallback(addressed, destroyed, "g"));
	OK(clSetKernelArgSVMPointer(kernel, 0, flag));
	OK(clSetKernelArg(kernel, 1, sizeof used, &used));
	size_t one = 1;
	cl_event over;
	OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, &over));
	OK(clFlush(queue));
	while (atomic_load(flag) != 1)
		;
	// The kernel runs.
	OK(clReleaseMemObject(addressed));
	OK(clReleaseMemObject(other));
	OK(clReleaseMemObject(sub));
	OK(clReleaseMemObject(image));
	OK(clReleaseMemObject(pipe));
	OK(clReleaseMemObject(used));
	clSVMFree(context, unused);
	cl_int status;
	OK(clGetEventInfo(over, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	CHECK(status == CL_RUNNING);
	CHECK(atomic_load(&count) == 0);
	atomic_store(flag, 2);
	OK(clWaitForEvents(1, &over));
	CHECK(result == 7);
	while (atomic_load(&count) != 7)
		usleep(1000);
	// Of one object, the last function is called first; an object goes before the one that it is a part of.
	// Objects go in the order in which they were released: "other" goes with "sub", and "used" with the
	// kernel that uses it.
	char *first = strchr(calls, 'c'), *second = strchr(calls, 'd');
	CHECK(first != NULL && second != NULL && first < second);
	CHECK(strstr(calls, "ab") != NULL);
	CHECK(strchr(calls, 'e') != NULL && strchr(calls, 'f') > strchr(calls, 'e'));
	CHECK(calls[0] == 'g');
	OK(clReleaseEvent(over));
	clSVMFree(context, flag);
	OK(clReleaseKernel(kernel));
	OK(clReleaseProgram(program));
	OK(clReleaseCommandQueue(queue));
	OK(clReleaseContext(context));
	printf("ok\n");
	return 0;
}
