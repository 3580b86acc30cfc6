// A host program that makes and releases many objects of each kind, one after the other, and looks whether memory grows.
// After a tenth of the objects it notes what malloc has given out and what is resident, and compares at the end.
// Arguments: how many objects to make of cheap kinds, and names of kinds (all without). It prints what grew, and "ok".

#define CL_TARGET_OPENCL_VERSION 300
#define CL_ENABLE_BETA_EXTENSIONS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void need(cl_int code, int line) {
	if (code != CL_SUCCESS) {
		printf("leaks.c:%d: error %d\n", line, code);
		exit(3);
	}
}
#define NEED(code) need(code, __LINE__)

enum { N = 64, BYTES = 4096 };

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem buffer;
static cl_int err;
static size_t n = N;
static char host[BYTES] __attribute__((aligned(4096)));
static const char *source = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
	"kernel void outside(global int *a) { a[get_global_id(0) + 1024] = 1; }\n";

static void a_context(void) {
	cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	NEED(err);
	NEED(clReleaseContext(c));
}

static void a_queue(void) {
	cl_command_queue q = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	NEED(err);
	NEED(clReleaseCommandQueue(q));
}

static void a_used_queue(void) {
	cl_queue_properties p[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	cl_command_queue q = clCreateCommandQueueWithProperties(context, device, p, &err);
	NEED(err);
	NEED(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
	NEED(clFinish(q));
	NEED(clReleaseCommandQueue(q));
}

static void a_program(void) {
	cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	NEED(err);
	NEED(clReleaseProgram(p));
}

static void a_built_program(void) {
	cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	NEED(err);
	NEED(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel k = clCreateKernel(p, "add", &err);
	NEED(err);
	NEED(clReleaseProgram(p));
	cl_int one = 1;
	NEED(clSetKernelArg(k, 0, sizeof buffer, &buffer));
	NEED(clSetKernelArg(k, 1, sizeof one, &one));
	NEED(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
	NEED(clFinish(queue));
	NEED(clReleaseKernel(k));
}

static void a_failed_program(void) {
	const char *wrong = "kernel void k(global int *a) { a[0] = undeclared; }";
	cl_program p = clCreateProgramWithSource(context, 1, &wrong, NULL, &err);
	NEED(err);
	if (clBuildProgram(p, 0, NULL, NULL, NULL, NULL) != CL_BUILD_PROGRAM_FAILURE)
		NEED(1);
	NEED(clReleaseProgram(p));
}

static void a_kernel(void) {
	cl_kernel k = clCreateKernel(program, "add", &err);
	NEED(err);
	NEED(clSetKernelArg(k, 0, sizeof buffer, &buffer));
	NEED(clReleaseKernel(k));
}

static void a_clone(void) {
	cl_kernel k = clCloneKernel(kernel, &err);
	NEED(err);
	NEED(clReleaseKernel(k));
}

static void a_buffer(void) {
	cl_mem m = clCreateBuffer(context, 0, BYTES, NULL, &err);
	NEED(err);
	NEED(clReleaseMemObject(m));
}

static void a_buffer_of_the_host(void) {
	cl_mem m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, BYTES, host, &err);
	NEED(err);
	NEED(clReleaseMemObject(m));
}

static void a_mapped_buffer(void) {
	cl_mem m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, BYTES - 1, host + 1, &err);
	NEED(err);
	void *p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES - 1, 0, NULL, NULL, &err);
	NEED(err);
	NEED(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
	NEED(clReleaseMemObject(m));
	NEED(clFinish(queue));
}

static void a_sub_buffer(void) {
	cl_buffer_region r = {512, 1024};
	cl_mem m = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
	NEED(err);
	NEED(clReleaseMemObject(m));
}

static void an_image(void) {
	cl_image_format f = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
	cl_mem m = clCreateImage(context, 0, &f, &d, NULL, &err);
	NEED(err);
	NEED(clReleaseMemObject(m));
}

static void an_image_of_a_buffer(void) {
	cl_image_format f = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64, .mem_object = buffer};
	cl_mem m = clCreateImage(context, 0, &f, &d, NULL, &err);
	NEED(err);
	NEED(clReleaseMemObject(m));
}

static void a_sampler(void) {
	cl_sampler s = clCreateSamplerWithProperties(context, NULL, &err);
	NEED(err);
	NEED(clReleaseSampler(s));
}

static void a_pipe(void) {
	cl_mem m = clCreatePipe(context, 0, 4, 16, NULL, &err);
	NEED(err);
	NEED(clReleaseMemObject(m));
}

static void CL_CALLBACK called(cl_event e, cl_int status, void *data) { __atomic_add_fetch((long *)data, 1, __ATOMIC_RELAXED); }

static void a_user_event(void) {
	static long calls;
	long before = __atomic_load_n(&calls, __ATOMIC_RELAXED);
	cl_event e = clCreateUserEvent(context, &err);
	NEED(err);
	NEED(clSetEventCallback(e, CL_COMPLETE, called, &calls));
	NEED(clSetUserEventStatus(e, CL_COMPLETE));
	NEED(clReleaseEvent(e));
	while (__atomic_load_n(&calls, __ATOMIC_RELAXED) == before)
		usleep(0);
}

static void an_event_of_a_command(void) {
	cl_event e;
	NEED(clEnqueueMarkerWithWaitList(queue, 0, NULL, &e));
	NEED(clWaitForEvents(1, &e));
	NEED(clReleaseEvent(e));
}

static void an_event_of_a_launch(void) {
	cl_event e;
	NEED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, &e));
	NEED(clWaitForEvents(1, &e));
	NEED(clReleaseEvent(e));
}

static void a_chain_of_events(void) {
	cl_event user = clCreateUserEvent(context, &err), last = user;
	for (int i = 0; i < 4; i++) {
		cl_event next;
		NEED(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 64, host, 1, &last, &next));
		if (last != user)
			NEED(clReleaseEvent(last));
		last = next;
	}
	NEED(clSetUserEventStatus(user, CL_COMPLETE));
	NEED(clReleaseEvent(user));
	NEED(clWaitForEvents(1, &last));
	NEED(clReleaseEvent(last));
}

static void a_failed_chain(void) {
	cl_event user = clCreateUserEvent(context, &err), e;
	NEED(err);
	NEED(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 64, host, 1, &user, &e));
	NEED(clSetUserEventStatus(user, -7));
	NEED(clReleaseEvent(user));
	if (clWaitForEvents(1, &e) != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		NEED(1);
	NEED(clReleaseEvent(e));
}

static void an_svm_allocation(void) {
	void *p = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, BYTES, 0);
	NEED(p == NULL);
	clSVMFree(context, p);
}

static void an_svm_free_in_a_queue(void) {
	void *p = clSVMAlloc(context, 0, BYTES, 0);
	NEED(p == NULL);
	NEED(clEnqueueSVMFree(queue, 1, &p, NULL, NULL, 0, NULL, NULL));
	NEED(clFinish(queue));
}

#define EXTENSION(name) \
	static name##_fn name; \
	if (name == NULL) \
		name = (name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name);

static void a_usm_allocation(void) {
	EXTENSION(clSharedMemAllocINTEL)
	EXTENSION(clMemFreeINTEL)
	void *p = clSharedMemAllocINTEL(context, device, NULL, BYTES, 0, &err);
	NEED(err);
	NEED(clMemFreeINTEL(context, p));
}

static void a_command_buffer(void) {
	EXTENSION(clCreateCommandBufferKHR)
	EXTENSION(clReleaseCommandBufferKHR)
	EXTENSION(clFinalizeCommandBufferKHR)
	// The parameters of later headers are others.
	typedef cl_int (*command)(cl_command_buffer_khr, cl_command_queue, const void *, cl_kernel, cl_uint, const size_t *,
		const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, void *);
	typedef cl_int (*enqueue)(cl_uint, cl_command_queue *, cl_command_buffer_khr, cl_uint, const cl_event *, cl_event *);
	command launch = (command)clGetExtensionFunctionAddressForPlatform(platform, "clCommandNDRangeKernelKHR");
	enqueue put = (enqueue)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueCommandBufferKHR");
	cl_command_buffer_khr b = clCreateCommandBufferKHR(1, &queue, NULL, &err);
	NEED(err);
	NEED(launch(b, NULL, NULL, kernel, 1, NULL, &n, NULL, 0, NULL, NULL, NULL));
	NEED(clFinalizeCommandBufferKHR(b));
	NEED(put(0, NULL, b, 0, NULL, NULL));
	NEED(clReleaseCommandBufferKHR(b));
	NEED(clFinish(queue));
}

// What is in the table has a name, and how many objects are made for 100 of the cheapest kinds.
static const struct {
	const char *name;
	void (*make)(void);
	int percent;
} kinds[] = {
	{"context", a_context, 2},
	{"queue", a_queue, 5},
	{"used-queue", a_used_queue, 5},
	{"program", a_program, 2},
	{"built-program", a_built_program, 1},
	{"failed-program", a_failed_program, 1},
	{"kernel", a_kernel, 100},
	{"clone", a_clone, 100},
	{"buffer", a_buffer, 100},
	{"host-buffer", a_buffer_of_the_host, 100},
	{"mapped-buffer", a_mapped_buffer, 20},
	{"sub-buffer", a_sub_buffer, 100},
	{"image", an_image, 100},
	{"buffer-image", an_image_of_a_buffer, 100},
	{"sampler", a_sampler, 100},
	{"pipe", a_pipe, 100},
	{"user-event", a_user_event, 20},
	{"command-event", an_event_of_a_command, 100},
	{"launch-event", an_event_of_a_launch, 20},
	{"chain", a_chain_of_events, 20},
	{"failed-chain", a_failed_chain, 20},
	{"svm", an_svm_allocation, 100},
	{"svm-free", an_svm_free_in_a_queue, 20},
	{"usm", a_usm_allocation, 100},
	{"command-buffer", a_command_buffer, 20},
};

static long resident(void) {
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%*d %ld", &pages) != 1)
		exit(5);
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

static long allocated(void) {
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
}

int main(int argc, char **argv) {
	long count = argc > 1 ? atol(argv[1]) : 10000;
	int wrong = 0;
	NEED(clGetPlatformIDs(1, &platform, NULL));
	NEED(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	NEED(err);
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	NEED(err);
	program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	NEED(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	kernel = clCreateKernel(program, "add", &err);
	NEED(err);
	buffer = clCreateBuffer(context, 0, BYTES, NULL, &err);
	NEED(err);
	cl_int one = 1;
	NEED(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	NEED(clSetKernelArg(kernel, 1, sizeof one, &one));

	for (int i = 0; i < 5000; i++) // handles that were released are used again from here on
		a_sampler();
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		int wanted = argc < 3;
		for (int a = 2; a < argc; a++)
			wanted |= strcmp(argv[a], kinds[i].name) == 0;
		if (!wanted)
			continue;
		long times = count * kinds[i].percent / 100, warm = times / 10 + 1;
		for (long k = 0; k < warm; k++)
			kinds[i].make();
		long bytes = allocated(), pages = resident();
		for (long k = 0; k < times; k++)
			kinds[i].make();
		bytes = allocated() - bytes;
		pages = resident() - pages;
		// malloc keeps some small blocks for each thread. Go's heap doubles between two collections, and the device has
		// some bytes for each of the million numbers that allocations have, until they come again.
		int grew = bytes > 64 << 10 || pages > (12 << 20) + 28 * times;
		wrong |= grew;
		if (grew || getenv("VERBOSE") != NULL)
			printf("%s: %ld made: %ld bytes of malloc and %ld kB of resident memory more\n", kinds[i].name, times, bytes, pages >> 10);
		fflush(stdout);
	}
	NEED(clReleaseMemObject(buffer));
	NEED(clReleaseKernel(kernel));
	NEED(clReleaseProgram(program));
	NEED(clReleaseCommandQueue(queue));
	NEED(clReleaseContext(context));
	if (!wrong)
		puts("ok");
	return wrong;
}
