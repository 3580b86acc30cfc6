// A host program that launches a kernel from several places, past the end of a buffer each time: from a function, from
// one that is inlined, by clEnqueueTask, and by a command buffer. With LIBRARY it is a library with the function alone,
// with PROGRAM the program without it.

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>

cl_int run_step(cl_command_queue queue, cl_kernel kernel, size_t n);

#ifndef PROGRAM
__attribute__((noinline)) cl_int run_step(cl_command_queue queue, cl_kernel kernel, size_t n) {
	cl_int code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
	return code == CL_SUCCESS ? clFinish(queue) : code;
}
#endif

#ifndef LIBRARY
static inline __attribute__((always_inline)) cl_int inlined(cl_command_queue queue, cl_kernel kernel, size_t n) {
	cl_int code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
	return code == CL_SUCCESS ? clFinish(queue) : code;
}

static void need(cl_int code, int line) {
	if (code != CL_SUCCESS) {
		printf("site.c:%d: error %d\n", line, code);
		exit(3);
	}
}
#define NEED(code) need(code, __LINE__)

int main(void) {
	cl_int err;
	cl_platform_id platform;
	cl_device_id device;
	NEED(clGetPlatformIDs(1, &platform, NULL));
	NEED(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	NEED(err);
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	NEED(err);
	const char *source = "kernel void put(global int *a) { a[get_global_id(0) + 4] = 1; }";
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	NEED(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	cl_kernel kernel = clCreateKernel(program, "put", &err);
	NEED(err);
	cl_mem buffer = clCreateBuffer(context, 0, 16, NULL, &err);
	NEED(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	NEED(run_step(queue, kernel, 1));
	NEED(inlined(queue, kernel, 2));
	NEED(clEnqueueTask(queue, kernel, 0, NULL, NULL));
	NEED(clFinish(queue));
	// The parameters of later headers are others.
	typedef cl_int (*command)(cl_command_buffer_khr, cl_command_queue, const void *, cl_kernel, cl_uint, const size_t *,
		const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, void *);
	command launch = (command)clGetExtensionFunctionAddressForPlatform(platform, "clCommandNDRangeKernelKHR");
	clCreateCommandBufferKHR_fn create = (clCreateCommandBufferKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandBufferKHR");
	clFinalizeCommandBufferKHR_fn finalize = (clFinalizeCommandBufferKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clFinalizeCommandBufferKHR");
	clEnqueueCommandBufferKHR_fn enqueue = (clEnqueueCommandBufferKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueCommandBufferKHR");
	cl_command_buffer_khr commands = create(1, &queue, NULL, &err);
	NEED(err);
	size_t n = 3;
	NEED(launch(commands, NULL, NULL, kernel, 1, NULL, &n, NULL, 0, NULL, NULL, NULL));
	NEED(finalize(commands));
	NEED(enqueue(0, NULL, commands, 0, NULL, NULL));
	NEED(clFinish(queue));
	return 0;
}
#endif
