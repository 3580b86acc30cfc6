// A host program with launches of several kinds, one of which has a data race: what it prints depends on the order of
// work-groups. With the argument o a kernel writes outside of its buffer as well.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *source =
	"kernel void fill(global int *a, int v) { a[get_global_id(0)] = v + (int)get_global_id(0); }\n"
	"kernel void last(global const int *a, global int *winner) { winner[0] = a[get_global_id(0)]; }\n"
	"kernel void outside(global int *a) { a[get_global_id(0) + 60] = 1; }\n"
	"kernel void copy(read_only image2d_t from, sampler_t s, global float4 *to, local float4 *room, float2 shift, float k) {\n"
	"	int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"	room[get_local_id(0)] = read_imagef(from, s, (convert_float2(at) + 0.25f + shift) / 4.0f);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	to[at.y * 4 + at.x] = room[get_local_size(0) - 1 - get_local_id(0)] * k;\n"
	"}\n"
	"kernel void both(global int *a, global int *b) { a[get_global_id(0)] += b[95 - get_global_id(0)]; }\n";

static void need(cl_int code, const char *what) {
	if (code != CL_SUCCESS) {
		printf("%s: error %d\n", what, code);
		exit(3);
	}
}
#define NEED(call) need(call, #call)

int main(int argc, char **argv) {
	cl_int err;
	cl_platform_id platform;
	cl_device_id device;
	NEED(clGetPlatformIDs(1, &platform, NULL));
	NEED(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	need(err, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	NEED(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -g", NULL, NULL));
	cl_mem a = clCreateBuffer(context, CL_MEM_READ_ONLY, 64 * sizeof(int), NULL, &err);
	cl_mem winner = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(int), NULL, &err);
	size_t n = 64, one = 1;
	int v = 100, result;

	cl_kernel fill = clCreateKernel(program, "fill", &err);
	need(err, "clCreateKernel");
	NEED(clSetKernelArg(fill, 0, sizeof a, &a)); // read-only to kernels, which OpenCL does not enforce
	NEED(clSetKernelArg(fill, 1, sizeof v, &v));
	NEED(clEnqueueNDRangeKernel(queue, fill, 1, NULL, &n, NULL, 0, NULL, NULL));

	cl_kernel last = clCreateKernel(program, "last", &err);
	NEED(clSetKernelArg(last, 0, sizeof a, &a));
	NEED(clSetKernelArg(last, 1, sizeof winner, &winner));
	NEED(clEnqueueNDRangeKernel(queue, last, 1, NULL, &n, &one, 0, NULL, NULL));

	cl_kernel both = clCreateKernel(program, "both", &err);
	NEED(clSetKernelArg(both, 0, sizeof a, &a));
	NEED(clSetKernelArg(both, 1, sizeof a, &a)); // one buffer twice
	size_t half = 32, from = 32;
	NEED(clEnqueueNDRangeKernel(queue, both, 1, &from, &half, &one, 0, NULL, NULL));

	float pixels[4 * 4 * 4];
	for (int i = 0; i < 64; i++)
		pixels[i] = i * 0.37f;
	cl_image_format format = {CL_RGBA, CL_FLOAT};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
	cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, pixels, &err);
	need(err, "clCreateImage");
	cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof pixels, NULL, &err);
	cl_sampler sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err);
	cl_float2 shift = {{0.125f, -0.5f}};
	float k = 1.0f / 3;
	cl_kernel copy = clCreateKernel(program, "copy", &err);
	NEED(clSetKernelArg(copy, 0, sizeof image, &image));
	NEED(clSetKernelArg(copy, 1, sizeof sampler, &sampler));
	NEED(clSetKernelArg(copy, 2, sizeof to, &to));
	NEED(clSetKernelArg(copy, 3, 4 * sizeof(cl_float4), NULL));
	NEED(clSetKernelArg(copy, 4, sizeof shift, &shift));
	NEED(clSetKernelArg(copy, 5, sizeof k, &k));
	size_t square[] = {4, 4}, row[] = {4, 1};
	NEED(clEnqueueNDRangeKernel(queue, copy, 2, NULL, square, row, 0, NULL, NULL));
	if (argc > 1 && argv[1][0] == 'o') {
		cl_event over;
		cl_kernel outside = clCreateKernel(program, "outside", &err);
		NEED(clSetKernelArg(outside, 0, sizeof a, &a));
		NEED(clEnqueueNDRangeKernel(queue, outside, 1, NULL, &n, NULL, 0, NULL, &over));
		printf("outside: %d\n", clWaitForEvents(1, &over));
	}
	NEED(clEnqueueReadBuffer(queue, winner, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
	printf("winner %d\n", result);
	NEED(clFinish(queue));
	return 0;
}
