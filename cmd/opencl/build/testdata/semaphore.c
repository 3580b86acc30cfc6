// A host program with semaphores (cl_khr_semaphore) and immutable memory (cl_ext_immutable_memory_objects). It prints what
// is wrong with a line number, and "ok" at the end.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void check_at(int line, const char *what, long got, long want) {
	if (got != want) {
		printf("semaphore.c:%d: %s is %ld, not %ld\n", line, what, got, want);
		wrong = 1;
	}
}
#define CHECK(e, want) check_at(__LINE__, #e, (long)(e), (long)(want))
#define FUNCTION(name) name##_fn name = (name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name)

#define IMMUTABLE (1 << 6) // CL_MEM_IMMUTABLE_EXT

static void semaphores(cl_platform_id platform, cl_device_id device, cl_context context) {
	FUNCTION(clCreateSemaphoreWithPropertiesKHR);
	FUNCTION(clEnqueueWaitSemaphoresKHR);
	FUNCTION(clEnqueueSignalSemaphoresKHR);
	FUNCTION(clGetSemaphoreInfoKHR);
	FUNCTION(clReleaseSemaphoreKHR);
	FUNCTION(clRetainSemaphoreKHR);
	cl_int err;
	cl_semaphore_type_khr kind = 0;
	CHECK(clGetDeviceInfo(device, CL_DEVICE_SEMAPHORE_TYPES_KHR, sizeof kind, &kind, NULL), CL_SUCCESS);
	CHECK(kind, CL_SEMAPHORE_TYPE_BINARY_KHR);

	cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0x2053, (cl_semaphore_properties_khr)device, 0, 0}, back[6];
	cl_semaphore_khr s = clCreateSemaphoreWithPropertiesKHR(context, properties, &err);
	CHECK(err, CL_SUCCESS);
	CHECK(clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PROPERTIES_KHR, sizeof back, back, NULL), CL_SUCCESS);
	CHECK(memcmp(back, properties, sizeof back), 0);
	cl_device_id of = NULL;
	CHECK(clGetSemaphoreInfoKHR(s, 0x2053, sizeof of, &of, NULL), CL_SUCCESS);
	CHECK(of == device, 1);
	CHECK(clRetainSemaphoreKHR(s), CL_SUCCESS);
	CHECK(clReleaseSemaphoreKHR(s), CL_SUCCESS);
	properties[2] = CL_SEMAPHORE_TYPE_KHR;
	CHECK(clCreateSemaphoreWithPropertiesKHR(context, properties, &err) == NULL, 1);
	CHECK(err, CL_INVALID_PROPERTY);

	// A kernel of one queue waits for a buffer that another queue fills behind a user event.
	cl_command_queue first = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	cl_queue_properties any[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	cl_command_queue second = clCreateCommandQueueWithProperties(context, device, any, &err);
	cl_mem buffer = clCreateBuffer(context, 0, 4, NULL, &err);
	cl_event user = clCreateUserEvent(context, &err), waited, filled;
	CHECK(clEnqueueWaitSemaphoresKHR(second, 1, &s, NULL, 0, NULL, &waited), CL_SUCCESS);
	cl_int value = 0, seven = 7;
	CHECK(clEnqueueReadBuffer(second, buffer, CL_FALSE, 0, 4, &value, 1, &waited, NULL), CL_SUCCESS);
	CHECK(clEnqueueFillBuffer(first, buffer, &seven, 4, 0, 4, 1, &user, &filled), CL_SUCCESS);
	CHECK(clEnqueueSignalSemaphoresKHR(first, 1, &s, NULL, 1, &filled, NULL), CL_SUCCESS);
	cl_int status;
	CHECK(clGetEventInfo(waited, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
	CHECK(status > CL_COMPLETE, 1);
	CHECK(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
	CHECK(clFinish(second), CL_SUCCESS);
	CHECK(value, 7);
	cl_command_type command;
	CHECK(clGetEventInfo(waited, CL_EVENT_COMMAND_TYPE, sizeof command, &command, NULL), CL_SUCCESS);
	CHECK(command, CL_COMMAND_SEMAPHORE_WAIT_KHR);

	// In one queue out of order, in a round.
	for (int i = 0; i < 100; i++) {
		CHECK(clEnqueueSignalSemaphoresKHR(second, 1, &s, NULL, 0, NULL, NULL), CL_SUCCESS);
		CHECK(clEnqueueWaitSemaphoresKHR(second, 1, &s, NULL, 0, NULL, NULL), CL_SUCCESS);
		CHECK(clFinish(second), CL_SUCCESS);
	}
	cl_semaphore_payload_khr payload = 9;
	CHECK(clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, NULL), CL_SUCCESS);
	CHECK(payload, 0);
	CHECK(clEnqueueSignalSemaphoresKHR(second, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK(clReleaseSemaphoreKHR(s), CL_SUCCESS);
	CHECK(clEnqueueSignalSemaphoresKHR(second, 1, &s, NULL, 0, NULL, NULL), CL_INVALID_SEMAPHORE_KHR);
}

static void immutable(cl_device_id device, cl_context context) {
	cl_int err, data[64] = {1, 2, 3, 4}, value = 5;
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	CHECK(clCreateBuffer(context, IMMUTABLE, sizeof data, NULL, &err) == NULL, 1);
	CHECK(err, CL_INVALID_VALUE);
	CHECK(clCreateBuffer(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE, sizeof data, data, &err) == NULL, 1);
	CHECK(err, CL_INVALID_VALUE);
	cl_mem b = clCreateBuffer(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR, sizeof data, data, &err);
	CHECK(err, CL_SUCCESS);
	CHECK(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_INVALID_OPERATION);
	CHECK(clEnqueueFillBuffer(queue, b, &value, 4, 0, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
	cl_mem other = clCreateBuffer(context, 0, sizeof data, NULL, &err);
	CHECK(clEnqueueCopyBuffer(queue, other, b, 0, 0, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
	CHECK(clEnqueueCopyBuffer(queue, b, other, 0, 0, sizeof data, 0, NULL, NULL), CL_SUCCESS);
	CHECK(clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &err) == NULL, 1);
	CHECK(err, CL_INVALID_OPERATION);
	CHECK(clEnqueueReadBuffer(queue, other, CL_TRUE, 4, 4, &value, 0, NULL, NULL), CL_SUCCESS);
	CHECK(value, 2);
	cl_buffer_region part = {128, 128};
	cl_mem sub = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err);
	CHECK(err, CL_SUCCESS);
	CHECK(clEnqueueFillBuffer(queue, sub, &value, 4, 0, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
	CHECK(clCreateSubBuffer(b, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &err) == NULL, 1);
	CHECK(err, CL_INVALID_VALUE);

	// Kernels read it. An image that they write cannot be one.
	const char *source = "kernel void sum(global const int *a, global int *b) { b[0] = a[0] + a[3]; }\n"
		"kernel void draw(write_only image2d_t i) { write_imagei(i, (int2)(0, 0), (int4)(1)); }\n"
		"kernel void spoil(global int *a) { a[0] = 9; }\n";
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	cl_kernel sum = clCreateKernel(program, "sum", &err);
	CHECK(clSetKernelArg(sum, 0, sizeof b, &b), CL_SUCCESS);
	CHECK(clSetKernelArg(sum, 1, sizeof other, &other), CL_SUCCESS);
	size_t one = 1;
	CHECK(clEnqueueNDRangeKernel(queue, sum, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
	CHECK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_SUCCESS);
	CHECK(value, 5);
	cl_image_format format = {CL_R, CL_SIGNED_INT32};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
	cl_mem image = clCreateImage(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR, &format, &desc, data, &err);
	CHECK(err, CL_SUCCESS);
	cl_kernel draw = clCreateKernel(program, "draw", &err);
	CHECK(clSetKernelArg(draw, 0, sizeof image, &image), CL_INVALID_ARG_VALUE);
	size_t origin[] = {0, 0, 0}, region[] = {1, 1, 1};
	CHECK(clEnqueueFillImage(queue, image, data, origin, region, 0, NULL, NULL), CL_INVALID_OPERATION);
	CHECK(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL), CL_INVALID_OPERATION);

	cl_kernel spoil = clCreateKernel(program, "spoil", &err);
	CHECK(clSetKernelArg(spoil, 0, sizeof b, &b), CL_INVALID_ARG_VALUE);
	CHECK(clSetKernelArg(spoil, 0, sizeof sub, &sub), CL_INVALID_ARG_VALUE);
}

static void CL_CALLBACK quiet(const char *text, const void *data, size_t n, void *user) { }

int main(void) {
	cl_platform_id platform;
	cl_device_id device;
	cl_int err;
	CHECK(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
	cl_context context = clCreateContext(NULL, 1, &device, quiet, NULL, &err);
	semaphores(platform, device, context);
	immutable(device, context);
	if (!wrong)
		puts("ok");
	return wrong;
}
