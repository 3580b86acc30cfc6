// A host program that asks for what extensions add to queues and devices. It prints what is wrong with a line number,
// and "ok" at the end.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void check_at(int line, const char *what, long got, long want) {
	if (got != want) {
		printf("extensions.c:%d: %s is %ld, not %ld\n", line, what, got, want);
		wrong = 1;
	}
}
#define CHECK(e, want) check_at(__LINE__, #e, (long)(e), (long)(want))

int main(void) {
	cl_int err;
	cl_platform_id platform;
	cl_device_id device;
	CHECK(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);

	// cl_khr_priority_hints, cl_khr_throttle_hints.
	cl_queue_properties hints[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_HIGH_KHR, 0};
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, hints, &err);
	CHECK(err, CL_SUCCESS);
	cl_queue_properties back[5] = {0};
	CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof back, back, NULL), CL_SUCCESS);
	CHECK(memcmp(back, hints, sizeof hints), 0);
	hints[1] = 3;
	CHECK(clCreateCommandQueueWithProperties(context, device, hints, &err) == NULL, 1);
	CHECK(err, CL_INVALID_VALUE);

	// cl_khr_device_uuid: two UUIDs of version 5.
	unsigned char a[CL_UUID_SIZE_KHR], b[CL_UUID_SIZE_KHR];
	CHECK(clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof a, a, NULL), CL_SUCCESS);
	CHECK(clGetDeviceInfo(device, CL_DRIVER_UUID_KHR, sizeof b, b, NULL), CL_SUCCESS);
	CHECK(a[6] >> 4, 5);
	CHECK(memcmp(a, b, sizeof a) != 0, 1);

	// cl_khr_spirv_queries.
	const char *sets[4], *names[512];
	cl_uint capabilities[512];
	size_t n;
	CHECK(clGetDeviceInfo(device, 0x12B9, sizeof sets, sets, &n), CL_SUCCESS);
	CHECK(n, sizeof *sets);
	CHECK(strcmp(sets[0], "OpenCL.std"), 0);
	CHECK(clGetDeviceInfo(device, 0x12BA, sizeof names, names, &n), CL_SUCCESS);
	int found = 0;
	for (size_t i = 0; i < n / sizeof *names; i++)
		found += strcmp(names[i], "SPV_KHR_linkonce_odr") == 0;
	CHECK(found, 1);
	CHECK(clGetDeviceInfo(device, 0x12BB, sizeof capabilities, capabilities, &n), CL_SUCCESS);
	found = 0;
	for (size_t i = 0; i < n / sizeof *capabilities; i++)
		found += capabilities[i] == 6 /* Kernel */ || capabilities[i] == 44 /* Image1D */ || capabilities[i] == 19 /* DeviceEnqueue */;
	CHECK(found, 2);

	// cl_khr_kernel_clock, cl_khr_subgroup_named_barrier.
	cl_bitfield clocks = 0;
	CHECK(clGetDeviceInfo(device, 0x1076, sizeof clocks, &clocks, NULL), CL_SUCCESS);
	CHECK(clocks, 7);
	cl_uint barriers = 0;
	CHECK(clGetDeviceInfo(device, 0x2035, sizeof barriers, &barriers, NULL), CL_SUCCESS);
	CHECK(barriers >= 8, 1);

	// Every extension with functions or types of the language, and every feature, is a macro of OpenCL C 3.0.
	size_t size;
	clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, 0, NULL, &size);
	cl_name_version *features = malloc(size);
	CHECK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, size, features, NULL), CL_SUCCESS);
	char *source = calloc(1, 1 << 16), *end = source;
	for (size_t i = 0; i < size / sizeof *features; i++)
		end += sprintf(end, "#ifndef %s\n#error no %s\n#endif\n", features[i].name, features[i].name);
	end += sprintf(end, "#ifndef cl_ext_float_atomics\n#error no float atomics\n#endif\n"
		"kernel void k(volatile global atomic_float *f, volatile global atomic_double *d) {\n"
		"	atomic_fetch_add_explicit(f, 1.0f, memory_order_relaxed);\n"
		"	atomic_fetch_max_explicit(d, 1.0, memory_order_relaxed);\n}\n"
		"kernel void split(global ulong *t, global int *out) {\n"
		"	local int all[16];\n"
		"	int i = get_local_id(0);\n"
		"	all[i] = i + 1;\n"
		"	ulong before = clock_read_sub_group();\n"
		"	intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);\n"
		"	intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n"
		"	t[i] = clock_read_device() - before;\n"
		"	out[i] = all[15 - i];\n}\n");
	cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
	CHECK(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_SUCCESS);
	char log[4096] = "";
	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
	printf("%s", log);

	cl_kernel split = clCreateKernel(program, "split", &err);
	CHECK(err, CL_SUCCESS);
	cl_mem ticks = clCreateBuffer(context, 0, 16 * sizeof(cl_ulong), NULL, &err);
	cl_mem out = clCreateBuffer(context, 0, 16 * sizeof(cl_int), NULL, &err);
	CHECK(clSetKernelArg(split, 0, sizeof ticks, &ticks), CL_SUCCESS);
	CHECK(clSetKernelArg(split, 1, sizeof out, &out), CL_SUCCESS);
	size_t global = 16;
	CHECK(clEnqueueNDRangeKernel(queue, split, 1, NULL, &global, &global, 0, NULL, NULL), CL_SUCCESS);
	cl_ulong t[16];
	cl_int values[16];
	CHECK(clEnqueueReadBuffer(queue, ticks, CL_TRUE, 0, sizeof t, t, 0, NULL, NULL), CL_SUCCESS);
	CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL), CL_SUCCESS);
	for (int i = 0; i < 16; i++) {
		CHECK(t[i] > 0 && t[i] < 1000, 1);
		CHECK(values[i], 16 - i);
	}

	// cl_ext_buffer_device_address.
	typedef cl_int (*set_pointer)(cl_kernel, cl_uint, cl_ulong);
	set_pointer set = (set_pointer)clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgDevicePointerEXT");
	cl_mem_properties private[] = {0x5000 /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT */, CL_TRUE, 0};
	cl_mem target = clCreateBufferWithProperties(context, private, 0, 256, NULL, &err);
	CHECK(err, CL_SUCCESS);
	cl_ulong address = 0;
	CHECK(clGetMemObjectInfo(target, 0x5001, sizeof address, &address, NULL), CL_SUCCESS);
	CHECK(clGetMemObjectInfo(out, 0x5001, sizeof address, &address, NULL), CL_INVALID_OPERATION);
	cl_buffer_region half = {128, 128};
	cl_mem sub = clCreateSubBuffer(target, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &err);
	cl_ulong second = 0;
	CHECK(clGetMemObjectInfo(sub, 0x5001, sizeof second, &second, NULL), CL_SUCCESS);
	CHECK(second - address, 128);
	const char *pointers = "kernel void store(global int *p, global ulong *list) { p[-1] = 41; *(global int *)list[0] = 42; list[1] = (ulong)p; }\n";
	cl_program other = clCreateProgramWithSource(context, 1, &pointers, NULL, &err);
	CHECK(clBuildProgram(other, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	cl_kernel store = clCreateKernel(other, "store", &err);
	CHECK(set(store, 0, second + 4), CL_SUCCESS);
	CHECK(clSetKernelArg(store, 1, sizeof ticks, &ticks), CL_SUCCESS);
	CHECK(clSetKernelExecInfo(store, 0x5002, sizeof address, &address), CL_SUCCESS);
	t[0] = address + 8;
	CHECK(clEnqueueWriteBuffer(queue, ticks, CL_TRUE, 0, sizeof *t, t, 0, NULL, NULL), CL_SUCCESS);
	global = 1;
	CHECK(clEnqueueNDRangeKernel(queue, store, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
	CHECK(clEnqueueReadBuffer(queue, ticks, CL_TRUE, 0, sizeof t, t, 0, NULL, NULL), CL_SUCCESS);
	CHECK(t[1] - second, 4);
	cl_int stored[64];
	CHECK(clEnqueueReadBuffer(queue, target, CL_TRUE, 0, sizeof stored, stored, 0, NULL, NULL), CL_SUCCESS);
	CHECK(stored[2], 42);
	CHECK(stored[32], 41);
	CHECK(clReleaseMemObject(sub), CL_SUCCESS);
	CHECK(clReleaseMemObject(target), CL_SUCCESS);
	CHECK(set(store, 0, second + 4), CL_SUCCESS); // an address of nothing
	// Programs in SPIR-V: a kernel k whose work-groups have 4 work-items has no attributes to ask for.
	static const cl_uint module[] = {
		0x7230203, 0x10000, 0, 5, 0, 0x20011, 4, 0x20011, 6, 0x3000e, 2, 2, 0x4000f, 6, 1, 0x6b, 0x60010, 1, 0x11, 4, 1, 1,
		0x20013, 2, 0x30021, 3, 2, 0x50036, 2, 1, 0, 3, 0x200f8, 4, 0x100fd, 0x10038};
	cl_program il = clCreateProgramWithIL(context, module, sizeof module, &err);
	CHECK(err, CL_SUCCESS);
	CHECK(clBuildProgram(il, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	cl_kernel k = clCreateKernel(il, "k", &err);
	CHECK(err, CL_SUCCESS);
	char text[64] = "?";
	size_t local[3] = {0};
	CHECK(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof text, text, &n), CL_SUCCESS);
	CHECK(n, 1);
	CHECK(text[0], 0);
	CHECK(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof local, local, NULL), CL_SUCCESS);
	CHECK(local[0], 4);
	if (!wrong)
		puts("ok");
	return wrong;
}
