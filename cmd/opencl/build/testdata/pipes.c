// A host program whose kernels run together, on two queues or on one that is out of order: pipes of few packets
// connect them, which they ask again and again. It prints what depends on the order of their turns, and "ok".
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

enum { GROUPS = 4, EACH = 50, ALL = GROUPS * EACH };

static const char *source =
	"kernel void produce(write_only pipe int p, int n) {\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		int v = (int)get_group_id(0) * n + i;\n"
	"		while (write_pipe(p, &v) != 0)\n"
	"			;\n"
	"	}\n"
	"}\n"
	"kernel void twice(read_only pipe int p, write_only pipe int q, int n) {\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		int v;\n"
	"		while (read_pipe(p, &v) != 0)\n"
	"			;\n"
	"		v *= 2;\n"
	"		while (write_pipe(q, &v) != 0)\n"
	"			;\n"
	"	}\n"
	"}\n"
	"kernel void consume(read_only pipe int p, global int *out, int n) {\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		int v;\n"
	"		while (read_pipe(p, &v) != 0)\n"
	"			out[n]++;\n"
	"		out[i] = v;\n"
	"	}\n"
	"}\n"
	"kernel void slow(global int *out, int n) {\n"
	"	for (int i = 0; i < 100000; i++)\n"
	"		out[n] = (out[n] * 7 + i) & 1;\n"
	"	out[n] = 0;\n"
	"}\n";

static cl_context context;
static cl_kernel produce, twice, consume, slow;
static cl_mem first, second, wide, out;

static void launch(cl_command_queue q, cl_kernel k, size_t groups, cl_uint n, const cl_event *wait, cl_event *event) {
	size_t one = 1;
	OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &groups, &one, n, wait, event));
}

static void pipes(cl_mem from, cl_mem to, cl_mem end) {
	OK(clSetKernelArg(produce, 0, sizeof from, &from));
	OK(clSetKernelArg(twice, 0, sizeof from, &from));
	OK(clSetKernelArg(twice, 1, sizeof to, &to));
	OK(clSetKernelArg(consume, 0, sizeof end, &end));
}

// The ways in which the host waits.
enum { FINISH, EVENTS, READ, POLL, CALLBACK, WAYS };

static atomic_int called;
static void CL_CALLBACK over(cl_event e, cl_int status, void *data) { atomic_store(&called, status == CL_COMPLETE ? 1 : -1); }

static void wait_for(int way, cl_command_queue q, cl_event e, int *result) {
	cl_int status = CL_QUEUED;
	switch (way) {
	case FINISH:
		OK(clFinish(q));
		break;
	case EVENTS:
		OK(clWaitForEvents(1, &e));
		break;
	case READ:
		OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, (ALL + 1) * sizeof *result, result, 1, &e, NULL));
		break;
	case POLL:
		while (status > CL_COMPLETE)
			OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
		OK(status);
		break;
	case CALLBACK:
		OK(clSetEventCallback(e, CL_COMPLETE, over, NULL));
		OK(clFlush(q));
		while (atomic_load(&called) == 0)
			usleep(100);
		CHECK(atomic_exchange(&called, 0) == 1);
	}
	OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, (ALL + 1) * sizeof *result, result, 1, &e, NULL));
}

// together has a producer, a filter and a consumer run together, and returns what they leave.
static void together(int way, cl_command_queue a, cl_command_queue b, cl_command_queue c, int *result) {
	static const int zero;
	cl_event ready, filled, e;
	int n = EACH, all = ALL;
	pipes(first, second, second);
	OK(clSetKernelArg(produce, 1, sizeof n, &n));
	OK(clSetKernelArg(twice, 2, sizeof all, &all));
	OK(clSetKernelArg(consume, 2, sizeof all, &all));
	OK(clEnqueueFillBuffer(b, out, &zero, sizeof zero, 0, (ALL + 1) * sizeof zero, 0, NULL, &filled));
	launch(c, slow, 1, 1, &filled, &ready);
	launch(a, produce, GROUPS, 0, NULL, NULL);
	OK(clFlush(a));
	launch(c, twice, 1, 0, NULL, NULL);
	OK(clFlush(c));
	launch(b, consume, 1, 1, &ready, &e);
	wait_for(way, b, e, result);
	OK(clFinish(a));
	OK(clFinish(c));
	OK(clReleaseEvent(filled));
	OK(clReleaseEvent(ready));
	OK(clReleaseEvent(e));
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
	cl_platform_id platform;
	cl_device_id device;
	cl_int err;
	alarm(100); // kernels that do not run together ask for ever
	OK(clGetPlatformIDs(1, &platform, NULL));
	OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	OK(err);
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	OK(err);
	OK(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
	cl_kernel *kernels[] = {&produce, &twice, &consume, &slow};
	const char *names[] = {"produce", "twice", "consume", "slow"};
	for (int i = 0; i < 4; i++) {
		*kernels[i] = clCreateKernel(program, names[i], &err);
		OK(err);
	}
	first = clCreatePipe(context, 0, 4, 2, NULL, &err);
	OK(err);
	second = clCreatePipe(context, 0, 4, 3, NULL, &err);
	OK(err);
	wide = clCreatePipe(context, 0, 4, ALL, NULL, &err);
	OK(err);
	out = clCreateBuffer(context, CL_MEM_READ_WRITE, (ALL + 1) * sizeof(int), NULL, &err);
	OK(err);
	int all = ALL;
	OK(clSetKernelArg(consume, 1, sizeof out, &out));
	OK(clSetKernelArg(slow, 0, sizeof out, &out));
	OK(clSetKernelArg(slow, 1, sizeof all, &all));
	cl_queue_properties any[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	cl_command_queue a = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	OK(err);
	cl_command_queue b = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	OK(err);
	cl_command_queue c = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	OK(err);
	cl_command_queue free_order = clCreateCommandQueueWithProperties(context, device, any, &err);
	OK(err);

	static int expected[ALL + 1], result[ALL + 1], sorted[ALL + 1];
	for (int run = 0; run < 10; run++)
		for (int way = 0; way < WAYS; way++)
			for (int one = 0; one < 2; one++) {
				int *to = run + way + one == 0 ? expected : result;
				if (one)
					together(way, free_order, free_order, free_order, to);
				else
					together(way, a, b, c, to);
				memcpy(sorted, to, sizeof sorted);
				qsort(sorted, ALL, sizeof *sorted, compare);
				for (int i = 0; i < ALL; i++)
					CHECK(sorted[i] == 2 * i);
				CHECK(to == expected || memcmp(result, expected, sizeof result) == 0);
			}
	unsigned order = 0;
	for (int i = 0; i < ALL; i++)
		order = order * 31 + expected[i];
	printf("order %08x, asked %d times\n", order, expected[ALL]);

	// On one queue that is in order, the pipe holds all packets.
	pipes(wide, wide, wide);
	launch(a, produce, GROUPS, 0, NULL, NULL);
	launch(a, consume, 1, 0, NULL, NULL);
	OK(clEnqueueReadBuffer(a, out, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
	qsort(result, ALL, sizeof *result, compare);
	for (int i = 0; i < ALL; i++)
		CHECK(result[i] == i);

	// What did not run since something failed keeps nobody waiting.
	cl_event user = clCreateUserEvent(context, &err), e;
	OK(err);
	launch(a, produce, GROUPS, 1, &user, &e);
	OK(clSetUserEventStatus(user, -5));
	CHECK(clWaitForEvents(1, &e) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	OK(clFinish(a));
	OK(clReleaseEvent(user));
	OK(clReleaseEvent(e));

	cl_mem mems[] = {first, second, wide, out};
	for (int i = 0; i < 4; i++) {
		OK(clReleaseKernel(*kernels[i]));
		OK(clReleaseMemObject(mems[i]));
	}
	cl_command_queue queues[] = {a, b, c, free_order};
	for (int i = 0; i < 4; i++)
		OK(clReleaseCommandQueue(queues[i]));
	OK(clReleaseProgram(program));
	OK(clReleaseContext(context));
	printf("ok\n");
	return 0;
}
