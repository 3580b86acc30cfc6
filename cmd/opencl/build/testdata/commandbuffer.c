// A host program that records commands into a command buffer and runs it (cl_khr_command_buffer). It prints what is
// wrong with a line number, and "ok" at the end.

#define CL_TARGET_OPENCL_VERSION 300
#define CL_ENABLE_BETA_EXTENSIONS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>

#define N 64

static int wrong;

static void check_at(int line, const char *what, long got, long want) {
	if (got != want) {
		printf("commandbuffer.c:%d: %s is %ld, not %ld\n", line, what, got, want);
		wrong = 1;
	}
}
#define CHECK(e, want) check_at(__LINE__, #e, (long)(e), (long)(want))

// The functions of version 0.9.8: headers may have other parameters.
static cl_command_buffer_khr (*create)(cl_uint, const cl_command_queue *, const cl_properties *, cl_int *);
static cl_int (*retain)(cl_command_buffer_khr), (*release)(cl_command_buffer_khr), (*finalize)(cl_command_buffer_khr);
static cl_int (*info)(cl_command_buffer_khr, cl_uint, size_t, void *, size_t *);
static cl_int (*enqueue)(cl_uint, cl_command_queue *, cl_command_buffer_khr, cl_uint, const cl_event *, cl_event *);
static cl_int (*fill)(cl_command_buffer_khr, cl_command_queue, const cl_properties *, cl_mem, const void *, size_t, size_t, size_t,
	cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *, void *);
static cl_int (*kernel_range)(cl_command_buffer_khr, cl_command_queue, const cl_properties *, cl_kernel, cl_uint, const size_t *,
	const size_t *, const size_t *, cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *, void *);

static const char *source =
	"kernel void twice(global int *a, int n) { a[get_global_id(0)] = 2 * a[get_global_id(0)] + n; }\n"
	"kernel void outside(global int *a) { a[1 << 20] = 1; }\n";

int main(void) {
	cl_int err;
	cl_platform_id platform;
	cl_device_id device;
	CHECK(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
#define FIND(f, name) if ((f = clGetExtensionFunctionAddressForPlatform(platform, name)) == NULL) { puts("no " name); return 1; }
	FIND(create, "clCreateCommandBufferKHR")
	FIND(retain, "clRetainCommandBufferKHR")
	FIND(release, "clReleaseCommandBufferKHR")
	FIND(finalize, "clFinalizeCommandBufferKHR")
	FIND(info, "clGetCommandBufferInfoKHR")
	FIND(enqueue, "clEnqueueCommandBufferKHR")
	FIND(fill, "clCommandFillBufferKHR")
	FIND(kernel_range, "clCommandNDRangeKernelKHR")
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	cl_kernel twice = clCreateKernel(program, "twice", &err);
	cl_kernel outside = clCreateKernel(program, "outside", &err);
	cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(cl_int), NULL, &err);
	CHECK(err, CL_SUCCESS);

	// Create: one queue, no unknown property.
	CHECK(create(2, &queue, NULL, &err) == NULL, 1);
	CHECK(err, CL_INVALID_VALUE);
	cl_properties unknown[] = {1, 1, 0};
	CHECK(create(1, &queue, unknown, &err) == NULL, 1);
	CHECK(err, CL_INVALID_VALUE);
	cl_properties flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
	cl_command_buffer_khr buffer = create(1, &queue, flags, &err);
	CHECK(err, CL_SUCCESS);

	// Record: a fill, and a kernel behind it. The arguments are those of now.
	cl_int three = 3, five = 5, seven = 7;
	cl_sync_point_khr filled = 0, bad = 9;
	CHECK(fill(buffer, queue, NULL, mem, &three, 4, 0, N * 4, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK(fill(buffer, NULL, unknown, mem, &three, 4, 0, N * 4, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
	CHECK(fill(buffer, NULL, NULL, mem, &three, 4, 0, N * 4 + 4, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
	CHECK(fill(buffer, NULL, NULL, mem, &three, 4, 0, N * 4, 0, NULL, &filled, NULL), CL_SUCCESS);
	size_t n = N;
	CHECK(kernel_range(buffer, NULL, NULL, twice, 1, NULL, &n, NULL, 1, &filled, NULL, NULL), CL_INVALID_KERNEL_ARGS);
	CHECK(clSetKernelArg(twice, 0, sizeof mem, &mem), CL_SUCCESS);
	CHECK(clSetKernelArg(twice, 1, sizeof five, &five), CL_SUCCESS);
	CHECK(kernel_range(buffer, NULL, NULL, twice, 1, NULL, &n, NULL, 1, &bad, NULL, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	CHECK(kernel_range(buffer, NULL, NULL, twice, 1, NULL, &n, NULL, 1, &filled, NULL, NULL), CL_SUCCESS);
	CHECK(clSetKernelArg(twice, 1, sizeof seven, &seven), CL_SUCCESS);

	// States.
	cl_uint state = 99, count = 0;
	CHECK(info(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL), CL_SUCCESS);
	CHECK(state, CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
	CHECK(enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
	CHECK(finalize(buffer), CL_SUCCESS);
	CHECK(finalize(buffer), CL_INVALID_OPERATION);
	CHECK(fill(buffer, NULL, NULL, mem, &three, 4, 0, N * 4, 0, NULL, NULL, NULL), CL_INVALID_OPERATION);
	CHECK(info(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL), CL_SUCCESS);
	CHECK(state, CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
	CHECK(info(buffer, 0, sizeof state, &state, NULL), CL_INVALID_VALUE);
	CHECK(retain(buffer), CL_SUCCESS);
	CHECK(info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof count, &count, NULL), CL_SUCCESS);
	CHECK(count, 2);
	CHECK(release(buffer), CL_SUCCESS);

	// Run twice at the same time, on the queue of the buffer and on another one; released before it runs.
	cl_event gate = clCreateUserEvent(context, &err), event;
	CHECK(enqueue(0, NULL, buffer, 1, &gate, NULL), CL_SUCCESS);
	CHECK(enqueue(1, &other, buffer, 1, &gate, &event), CL_SUCCESS);
	cl_command_type type;
	CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
	CHECK(type, CL_COMMAND_COMMAND_BUFFER_KHR);
	CHECK(release(buffer), CL_SUCCESS);
	CHECK(clReleaseMemObject(mem), CL_SUCCESS);
	CHECK(clRetainMemObject(mem), CL_INVALID_MEM_OBJECT);
	cl_int data[N] = {0};
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
	CHECK(clFinish(queue), CL_SUCCESS);
	CHECK(clFinish(other), CL_SUCCESS);
	CHECK(release(buffer), CL_INVALID_COMMAND_BUFFER_KHR);

	// The values: a fill, and the kernel twice, by a buffer that runs three times.
	mem = clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(cl_int), NULL, &err);
	CHECK(clSetKernelArg(twice, 0, sizeof mem, &mem), CL_SUCCESS);
	buffer = create(1, &queue, NULL, &err);
	CHECK(fill(buffer, NULL, NULL, mem, &three, 4, 0, N * 4, 0, NULL, NULL, NULL), CL_SUCCESS);
	for (int i = 0; i < 2; i++)
		CHECK(kernel_range(buffer, NULL, NULL, twice, 1, NULL, &n, NULL, 0, NULL, NULL, NULL), CL_SUCCESS);
	CHECK(finalize(buffer), CL_SUCCESS);
	for (int i = 0; i < 3; i++)
		CHECK(enqueue(0, NULL, buffer, 0, NULL, NULL), CL_SUCCESS);
	CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL), CL_SUCCESS);
	for (int i = 0; i < N; i++)
		CHECK(data[i], 2 * (2 * 3 + 7) + 7);
	CHECK(release(buffer), CL_SUCCESS);

	// A command that fails ends the rest.
	buffer = create(1, &queue, NULL, &err);
	CHECK(clSetKernelArg(outside, 0, sizeof mem, &mem), CL_SUCCESS);
	CHECK(kernel_range(buffer, NULL, NULL, outside, 1, NULL, &n, NULL, 0, NULL, NULL, NULL), CL_SUCCESS);
	CHECK(fill(buffer, NULL, NULL, mem, &five, 4, 0, N * 4, 0, NULL, NULL, NULL), CL_SUCCESS);
	CHECK(finalize(buffer), CL_SUCCESS);
	CHECK(enqueue(0, NULL, buffer, 0, NULL, &event), CL_SUCCESS);
	CHECK(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL), CL_SUCCESS);
	CHECK(data[0], 33);
	CHECK(release(buffer), CL_SUCCESS);
	if (!wrong)
		puts("ok");
	return wrong;
}
