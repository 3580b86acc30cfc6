// A host program whose kernels follow pointers of shared virtual memory and share a pipe. It writes what they leave in shared
// virtual memory to the files "list" and "values" of the folder that is its argument.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *source =
	"kernel void follow(global ulong *list, int n) {\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		global int *value = (global int *)list[i];\n"
	"		*value += 10 * i + 1;\n"
	"		list[n + i] = (ulong)(value + 1);\n"
	"	}\n"
	"}\n"
	"kernel void put(write_only pipe int p, int n) { for (int i = 0; i < n; i++) { int v = i * i; write_pipe(p, &v); } }\n"
	"kernel void take(read_only pipe int p, global int *out, global int *values, int n) {\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		int v = -1;\n"
	"		out[2 * i + 1] = read_pipe(p, &v);\n"
	"		out[2 * i] = v + values[i];\n"
	"	}\n"
	"}\n";

static void check(int line, cl_int err) {
	if (err != CL_SUCCESS) {
		printf("record.c:%d: error %d\n", line, err);
		exit(2);
	}
}
#define CHECK(e) check(__LINE__, e)

static void write_file(const char *dir, const char *name, const void *data, size_t n) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "wb");
	if (f == NULL || fwrite(data, 1, n, f) != n || fclose(f) != 0)
		check(__LINE__, -1);
}

int main(int argc, char **argv) {
	cl_int err;
	cl_platform_id platform;
	cl_device_id device;
	CHECK(clGetPlatformIDs(1, &platform, NULL));
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	CHECK(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));

	cl_ulong *list = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 10 * sizeof *list, 0);
	cl_int *values = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64 * sizeof *values, 0);
	const int places[] = {5, 0, 62, 5};
	for (int i = 0; i < 64; i++)
		values[i] = 100 + i;
	memset(list, 0, 10 * sizeof *list);
	for (int i = 0; i < 4; i++)
		list[1 + i] = (cl_ulong)(values + places[i]);
	size_t one = 1;
	cl_int n = 4;
	cl_kernel follow = clCreateKernel(program, "follow", &err);
	CHECK(clSetKernelArgSVMPointer(follow, 0, list + 1));
	CHECK(clSetKernelArg(follow, 1, sizeof n, &n));
	CHECK(clEnqueueNDRangeKernel(queue, follow, 1, NULL, &one, NULL, 0, NULL, NULL)); // launch 1
	CHECK(clFinish(queue));
	write_file(argv[1], "list", list, 10 * sizeof *list);
	write_file(argv[1], "values", values, 64 * sizeof *values);

	cl_mem pipe = clCreatePipe(context, 0, 4, 8, NULL, &err);
	cl_mem out = clCreateBuffer(context, 0, 6 * sizeof(cl_int), NULL, &err);
	cl_mem over = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64 * sizeof *values, values, &err);
	CHECK(err);
	cl_kernel put = clCreateKernel(program, "put", &err), take = clCreateKernel(program, "take", &err);
	cl_int five = 5, three = 3;
	CHECK(clSetKernelArg(put, 0, sizeof pipe, &pipe));
	CHECK(clSetKernelArg(put, 1, sizeof five, &five));
	CHECK(clSetKernelArg(take, 0, sizeof pipe, &pipe));
	CHECK(clSetKernelArg(take, 1, sizeof out, &out));
	CHECK(clSetKernelArg(take, 2, sizeof over, &over));
	CHECK(clSetKernelArg(take, 3, sizeof three, &three));
	CHECK(clEnqueueNDRangeKernel(queue, put, 1, NULL, &one, NULL, 0, NULL, NULL)); // launch 2
	for (int i = 0; i < 2; i++) { // launches 3 and 4, of which the last one finds two packets
		cl_int got[6];
		CHECK(clEnqueueNDRangeKernel(queue, take, 1, NULL, &one, NULL, 0, NULL, NULL));
		CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
		for (int j = 0; j < 6; j++)
			printf("%d ", got[j]);
	}
	puts("");
	return 0;
}
