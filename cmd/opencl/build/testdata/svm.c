// Shared virtual memory: lists that the host makes and a kernel walks, all commands, and unified shared memory.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int line;
static void check(int ok, const char *text) {
	if (!ok) {
		printf("line %d: %s\n", line, text);
		exit(1);
	}
}
#define CHECK(x) (line = __LINE__, check((x), #x))
#define OK(x) CHECK((x) == CL_SUCCESS)

typedef struct node {
	struct node *next;
	cl_int value, square;
} node;

static const char *source =
	"typedef struct node { global struct node *next; int value, square; } node;\n"
	"kernel void walk(global node *n, global int *sum) {\n"
	"  int s = 0;\n"
	"  for (; n; n = n->next) { n->square = n->value * n->value; s += n->square; }\n"
	"  *sum = s;\n"
	"}\n"
	// The kernel makes the list that the host walks.
	"kernel void chain(global node *n, int count) {\n"
	"  for (int i = 0; i < count; i++) { n[i].next = i + 1 < count ? &n[i + 1] : 0; n[i].value = i; }\n"
	"}\n"
	"kernel void raise(global atomic_int *n) { atomic_fetch_add(n, 1); }\n";

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_kernel walk, chain, raise_kernel;

static void run(cl_kernel k, size_t n) {
	OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
	OK(clFinish(queue));
}

static cl_command_type kind(cl_event e) {
	cl_command_type t;
	OK(clWaitForEvents(1, &e));
	OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof t, &t, NULL));
	OK(clReleaseEvent(e));
	return t;
}

// Nodes are allocations of their own.
static void lists(void) {
	node *first = NULL;
	for (int i = 0; i < 100; i++) {
		node *n = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof *n, 0);
		CHECK(n != NULL && (size_t)n % 128 == 0);
		*n = (node){first, i, -1};
		first = n;
	}
	cl_int *sum = clSVMAlloc(context, CL_MEM_READ_WRITE, 4, 4);
	OK(clSetKernelArgSVMPointer(walk, 0, first));
	OK(clSetKernelArgSVMPointer(walk, 1, sum));
	void *declared[] = {first->next, first->next->next};
	OK(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof declared, declared));
	OK(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
	run(walk, 1);
	CHECK(*sum == 328350 && first->square == 99 * 99 && first->next->square == 98 * 98);
	for (node *n = first, *next; n != NULL; n = next) {
		next = n->next;
		clSVMFree(context, n);
	}
	CHECK(clSetKernelArgSVMPointer(walk, 0, first) == CL_INVALID_ARG_VALUE); // it is freed

	// A pointer into an allocation, and one that the kernel makes.
	node *nodes = clSVMAlloc(context, CL_MEM_READ_WRITE, 11 * sizeof *nodes, 64);
	cl_int count = 10;
	OK(clSetKernelArgSVMPointer(chain, 0, nodes + 1));
	OK(clSetKernelArg(chain, 1, sizeof count, &count));
	run(chain, 1);
	int found = 0;
	for (node *n = nodes + 1; n != NULL; n = n->next)
		CHECK(n == nodes + 1 + found && n->value == found++);
	CHECK(found == 10);

	cl_int err;
	cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof *sum, sum, &err);
	OK(err);
	cl_bool uses = CL_FALSE;
	OK(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
	CHECK(uses == CL_TRUE);
	OK(clSetKernelArgSVMPointer(walk, 0, nodes + 1));
	OK(clSetKernelArg(walk, 1, sizeof buffer, &buffer));
	run(walk, 1);
	CHECK(*sum == 285);
	OK(clReleaseMemObject(buffer));
	// A kernel stores the host's addresses through a buffer too.
	buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 10 * sizeof *nodes, nodes + 1, &err);
	OK(err);
	memset(nodes, 0, 11 * sizeof *nodes);
	OK(clSetKernelArg(chain, 0, sizeof buffer, &buffer));
	run(chain, 1);
	CHECK(nodes[1].next == nodes + 2 && nodes[9].next == nodes + 10 && nodes[10].next == NULL && nodes[10].value == 9);
	OK(clReleaseMemObject(buffer));
	// The pointer to a sub-buffer leads into the whole allocation.
	node *rows = clSVMAlloc(context, CL_MEM_READ_WRITE, 16 * sizeof *rows, 0);
	buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 16 * sizeof *rows, rows, &err);
	OK(err);
	cl_buffer_region region = {8 * sizeof *rows, 4 * sizeof *rows};
	cl_mem sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
	OK(err);
	count = 8;
	OK(clSetKernelArg(chain, 0, sizeof sub, &sub));
	OK(clSetKernelArg(chain, 1, sizeof count, &count));
	run(chain, 1);
	CHECK(rows[8].next == rows + 9 && rows[15].next == NULL && rows[15].value == 7);
	OK(clReleaseMemObject(sub));
	OK(clReleaseMemObject(buffer));
	clSVMFree(context, rows);
	CHECK(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 5, sum, &err) == NULL && err == CL_INVALID_BUFFER_SIZE);
	clSVMFree(context, nodes);
	clSVMFree(context, sum);
	CHECK(clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 4, 0) == NULL && clSVMAlloc(context, 0, 0, 0) == NULL && clSVMAlloc(context, 0, 4, 3) == NULL);
}

static int freed;
static void CL_CALLBACK free_all(cl_command_queue q, cl_uint n, void *p[], void *data) {
	for (cl_uint i = 0; i < n; i++)
		clSVMFree(context, p[i]);
	freed += n + *(int *)data;
}

static void commands(void) {
	cl_event e;
	cl_int pattern = 7, host[8];
	cl_int *p = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0), *to = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
	OK(clEnqueueSVMMemFill(queue, p, &pattern, 4, 32, 0, NULL, &e));
	CHECK(kind(e) == CL_COMMAND_SVM_MEMFILL);
	OK(clEnqueueSVMMemcpy(queue, CL_FALSE, to + 8, p, 32, 0, NULL, &e));
	CHECK(kind(e) == CL_COMMAND_SVM_MEMCPY);
	OK(clEnqueueSVMMemcpy(queue, CL_TRUE, host, to + 8, 32, 0, NULL, NULL));
	CHECK(host[0] == 7 && host[7] == 7);
	OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, to, 64, 0, NULL, &e));
	CHECK(kind(e) == CL_COMMAND_SVM_MAP && to[8] == 7 && to[15] == 7);
	OK(clEnqueueSVMUnmap(queue, to, 0, NULL, &e));
	CHECK(kind(e) == CL_COMMAND_SVM_UNMAP);
	const void *both[] = {p, to};
	OK(clEnqueueSVMMigrateMem(queue, 2, both, NULL, 0, 0, NULL, &e));
	CHECK(kind(e) == CL_COMMAND_SVM_MIGRATE_MEM);
	CHECK(clEnqueueSVMMemcpy(queue, CL_TRUE, p + 1, p, 8, 0, NULL, NULL) == CL_MEM_COPY_OVERLAP);
	CHECK(clEnqueueSVMMemcpy(queue, CL_TRUE, to, p, 65, 0, NULL, NULL) == CL_INVALID_VALUE);
	CHECK(clEnqueueSVMMemFill(queue, p, &pattern, 3, 30, 0, NULL, NULL) == CL_INVALID_VALUE);
	CHECK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 64, 0, NULL, NULL) == CL_INVALID_VALUE);
	int more = 40;
	void *list[] = {p, to};
	OK(clEnqueueSVMFree(queue, 2, list, free_all, &more, 0, NULL, &e));
	CHECK(kind(e) == CL_COMMAND_SVM_FREE && freed == 42);
	list[0] = clSVMAlloc(context, 0, 1, 0);
	OK(clEnqueueSVMFree(queue, 1, list, NULL, NULL, 0, NULL, NULL));
	OK(clFinish(queue));
	CHECK(clSetKernelArgSVMPointer(raise_kernel, 0, list[0]) == CL_INVALID_ARG_VALUE);
}

#define FUNCTION(name) name##_fn name = (name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name)

static void unified(void) {
	FUNCTION(clHostMemAllocINTEL);
	FUNCTION(clDeviceMemAllocINTEL);
	FUNCTION(clSharedMemAllocINTEL);
	FUNCTION(clMemFreeINTEL);
	FUNCTION(clMemBlockingFreeINTEL);
	FUNCTION(clGetMemAllocInfoINTEL);
	FUNCTION(clSetKernelArgMemPointerINTEL);
	FUNCTION(clEnqueueMemsetINTEL);
	FUNCTION(clEnqueueMemFillINTEL);
	FUNCTION(clEnqueueMemcpyINTEL);
	FUNCTION(clEnqueueMigrateMemINTEL);
	FUNCTION(clEnqueueMemAdviseINTEL);
	cl_int err, *host = clHostMemAllocINTEL(context, NULL, 64, 0, &err);
	OK(err);
	cl_int *shared = clSharedMemAllocINTEL(context, device, (cl_mem_properties_intel[]){CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0}, 64, 4, &err);
	OK(err);
	cl_int *own = clDeviceMemAllocINTEL(context, device, NULL, 64, 0, &err);
	OK(err);
	CHECK(clDeviceMemAllocINTEL(context, NULL, NULL, 64, 0, &err) == NULL && err == CL_INVALID_DEVICE);
	CHECK(clHostMemAllocINTEL(context, NULL, 0, 0, &err) == NULL && err == CL_INVALID_BUFFER_SIZE);
	CHECK(clHostMemAllocINTEL(context, NULL, 4, 3, &err) == NULL && err == CL_INVALID_VALUE);

	cl_unified_shared_memory_type_intel type;
	void *base;
	size_t size;
	cl_device_id of;
	OK(clGetMemAllocInfoINTEL(context, own + 3, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
	OK(clGetMemAllocInfoINTEL(context, own + 3, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof base, &base, NULL));
	OK(clGetMemAllocInfoINTEL(context, own + 3, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL));
	OK(clGetMemAllocInfoINTEL(context, own + 3, CL_MEM_ALLOC_DEVICE_INTEL, sizeof of, &of, NULL));
	CHECK(type == CL_MEM_TYPE_DEVICE_INTEL && base == own && size == 64 && of == device);
	OK(clGetMemAllocInfoINTEL(context, &err, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
	CHECK(type == CL_MEM_TYPE_UNKNOWN_INTEL);

	cl_event e;
	cl_int pattern = 5;
	OK(clEnqueueMemsetINTEL(queue, own, 0x101, 64, 0, NULL, &e));
	CHECK(kind(e) == CL_COMMAND_MEMFILL_INTEL);
	OK(clEnqueueMemFillINTEL(queue, own, &pattern, 4, 8, 0, NULL, NULL));
	OK(clSetKernelArgMemPointerINTEL(raise_kernel, 0, own + 1));
	run(raise_kernel, 300);
	OK(clEnqueueMemcpyINTEL(queue, CL_TRUE, shared, own, 64, 0, NULL, &e));
	CHECK(kind(e) == CL_COMMAND_MEMCPY_INTEL && shared[0] == 5 && shared[1] == 305 && shared[2] == 0x01010101);
	OK(clEnqueueMigrateMemINTEL(queue, shared, 64, 0, 0, NULL, &e));
	CHECK(kind(e) == CL_COMMAND_MIGRATEMEM_INTEL);
	OK(clEnqueueMemAdviseINTEL(queue, shared, 64, 0, 0, NULL, &e));
	CHECK(kind(e) == CL_COMMAND_MEMADVISE_INTEL);
	*host = 1;
	OK(clSetKernelArgMemPointerINTEL(raise_kernel, 0, host));
	size_t n = 1000;
	OK(clEnqueueNDRangeKernel(queue, raise_kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
	OK(clEnqueueMemcpyINTEL(queue, CL_FALSE, shared, host, 4, 0, NULL, NULL));
	OK(clMemBlockingFreeINTEL(context, host));
	CHECK(*shared == 1001);
	CHECK(clMemFreeINTEL(context, host) == CL_INVALID_VALUE);
	OK(clMemFreeINTEL(context, shared));
	OK(clMemFreeINTEL(context, own));
	OK(clMemFreeINTEL(context, NULL));
}

int main(void) {
	cl_int err;
	OK(clGetPlatformIDs(1, &platform, NULL));
	OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	cl_device_svm_capabilities can;
	OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL));
	CHECK(can == (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	OK(err);
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	OK(err);
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	OK(err);
	OK(clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL));
	walk = clCreateKernel(program, "walk", &err);
	OK(err);
	chain = clCreateKernel(program, "chain", &err);
	OK(err);
	raise_kernel = clCreateKernel(program, "raise", &err);
	OK(err);
	lists();
	commands();
	unified();
	puts("ok");
	return 0;
}
