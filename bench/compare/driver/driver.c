// An OpenCL program that measures a driver through its C functions, and prints "name value" lines. Times are in
// microseconds, rates in bytes a microsecond. The loader's variable OCL_ICD_VENDORS says which driver it is.
//
//	driver LIBRARY launch          an empty kernel: enqueue to the end of its event, and many of them with one finish
//	driver LIBRARY copies BYTES    reads and writes of a buffer against memcpy, and maps
//	driver LIBRARY first           saxpy from source, up to a checked result
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *library;

static void fail(const char *what, int code) {
	fprintf(stderr, "driver: %s: %d\n", what, code);
	exit(1);
}

static void *find(const char *name) {
	void *f = dlsym(library, name);
	if (f == NULL)
		fail(name, 0);
	return f;
}

#define CL(name) ((__typeof__(&name))find(#name))
#define CHECK(code)                                                                                                    \
	do {                                                                                                               \
		cl_int check = (code);                                                                                         \
		if (check != CL_SUCCESS)                                                                                       \
			fail(#code, check);                                                                                        \
	} while (0)

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static cl_context context;
static cl_command_queue queue;

static void open_device(void) {
	cl_platform_id platform;
	cl_device_id device;
	cl_int code;
	CHECK(CL(clGetPlatformIDs)(1, &platform, NULL));
	CHECK(CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = CL(clCreateContext)(NULL, 1, &device, NULL, NULL, &code);
	CHECK(code);
	queue = CL(clCreateCommandQueue)(context, device, 0, &code);
	CHECK(code);
}

static cl_kernel build(const char *source, const char *name) {
	cl_int code;
	cl_program program = CL(clCreateProgramWithSource)(context, 1, &source, NULL, &code);
	CHECK(code);
	CHECK(CL(clBuildProgram)(program, 0, NULL, "", NULL, NULL));
	cl_kernel k = CL(clCreateKernel)(program, name, &code);
	CHECK(code);
	return k;
}

static int ascending(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *v, int n) {
	qsort(v, n, sizeof *v, ascending);
	return v[n / 2];
}

static void launches(void) {
	enum { ROUNDS = 2001, BURSTS = 31, BURST = 1000 };
	static double times[ROUNDS];
	cl_kernel k = build("kernel void nothing(void) {}", "nothing");
	__typeof__(&clEnqueueNDRangeKernel) enqueue = CL(clEnqueueNDRangeKernel);
	__typeof__(&clWaitForEvents) wait = CL(clWaitForEvents);
	__typeof__(&clReleaseEvent) release = CL(clReleaseEvent);
	__typeof__(&clFinish) finish = CL(clFinish);
	size_t one = 1;
	for (int i = 0; i < 2 * ROUNDS; i++) { // the first half warms up
		cl_event e;
		double begin = now();
		CHECK(enqueue(queue, k, 1, NULL, &one, &one, 0, NULL, &e));
		CHECK(wait(1, &e));
		times[i % ROUNDS] = now() - begin;
		CHECK(release(e));
	}
	printf("blocking %g\n", median(times, ROUNDS));
	for (int i = 0; i < 2 * BURSTS; i++) {
		double begin = now();
		for (int j = 0; j < BURST; j++)
			CHECK(enqueue(queue, k, 1, NULL, &one, &one, 0, NULL, NULL));
		CHECK(finish(queue));
		times[i % BURSTS] = (now() - begin) / BURST;
	}
	printf("pipelined %g\n", median(times, BURSTS));
}

static void copies(size_t n) {
	enum { ROUNDS = 7, MAPS = 501 };
	double plain[ROUNDS], reads[ROUNDS], writes[ROUNDS], maps[MAPS], lent[MAPS];
	cl_int code;
	char *a = aligned_alloc(4096, n), *b = aligned_alloc(4096, n);
	if (a == NULL || b == NULL)
		fail("memory", 0);
	memset(a, 1, n);
	memset(b, 2, n);
	cl_mem m = CL(clCreateBuffer)(context, CL_MEM_READ_WRITE, n, NULL, &code);
	CHECK(code);
	CHECK(CL(clEnqueueWriteBuffer)(queue, m, CL_TRUE, 0, n, a, 0, NULL, NULL)); // the pages are there
	for (int i = 0; i < ROUNDS; i++) {
		double t0 = now();
		memcpy(b, a, n);
		double t1 = now();
		CHECK(CL(clEnqueueWriteBuffer)(queue, m, CL_TRUE, 0, n, a, 0, NULL, NULL));
		double t2 = now();
		CHECK(CL(clEnqueueReadBuffer)(queue, m, CL_TRUE, 0, n, b, 0, NULL, NULL));
		double t3 = now();
		plain[i] = t1 - t0, writes[i] = t2 - t1, reads[i] = t3 - t2;
		a[i] += 1;
		if (i > 0 && b[i - 1] != a[i - 1])
			fail("wrong bytes", i);
	}
	CHECK(CL(clReleaseMemObject)(m));
	printf("memcpy %g\nwrite %g\nread %g\n", n / median(plain, ROUNDS), n / median(writes, ROUNDS), n / median(reads, ROUNDS));
	cl_mem own = CL(clCreateBuffer)(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, n, NULL, &code);
	CHECK(code);
	cl_mem use = CL(clCreateBuffer)(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, n, a, &code);
	CHECK(code);
	__typeof__(&clEnqueueMapBuffer) map = CL(clEnqueueMapBuffer);
	__typeof__(&clEnqueueUnmapMemObject) unmap = CL(clEnqueueUnmapMemObject);
	for (int i = 0; i < MAPS; i++) {
		for (int which = 0; which < 2; which++) {
			double begin = now();
			char *p = map(queue, which ? use : own, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, n, 0, NULL, NULL, &code);
			CHECK(code);
			if (which && p != a)
				fail("a map that is not the host's memory", 0);
			CHECK(unmap(queue, which ? use : own, p, 0, NULL, NULL));
			CHECK(CL(clFinish)(queue));
			(which ? lent : maps)[i] = now() - begin;
		}
	}
	printf("map %g\nmap_use_host_ptr %g\n", median(maps, MAPS), median(lent, MAPS));
}

static void first(void) {
	enum { N = 1 << 14 };
	static float x[N], y[N], z[N];
	cl_kernel k = build("kernel void saxpy(float a, global const float *x, global float *y) {\n"
						"	size_t i = get_global_id(0);\n"
						"	y[i] = a * x[i] + y[i];\n"
						"}\n",
						"saxpy");
	cl_int code;
	for (int i = 0; i < N; i++)
		x[i] = i, y[i] = 3;
	float two = 2;
	size_t global = N, local = 64;
	cl_mem mx = CL(clCreateBuffer)(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x, &code);
	CHECK(code);
	cl_mem my = CL(clCreateBuffer)(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof y, y, &code);
	CHECK(code);
	CHECK(CL(clSetKernelArg)(k, 0, sizeof two, &two));
	CHECK(CL(clSetKernelArg)(k, 1, sizeof mx, &mx));
	CHECK(CL(clSetKernelArg)(k, 2, sizeof my, &my));
	CHECK(CL(clEnqueueNDRangeKernel)(queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
	CHECK(CL(clEnqueueReadBuffer)(queue, my, CL_TRUE, 0, sizeof z, z, 0, NULL, NULL));
	for (int i = 0; i < N; i++) {
		if (z[i] != 2.f * i + 3)
			fail("wrong result at item", i);
	}
}

int main(int argc, char **argv) {
	if (argc < 3)
		fail("usage: driver LIBRARY launch|copies BYTES|first", 0);
	library = dlopen(argv[1], RTLD_NOW);
	if (library == NULL) {
		fprintf(stderr, "driver: %s\n", dlerror());
		return 1;
	}
	open_device();
	if (strcmp(argv[2], "launch") == 0)
		launches();
	else if (strcmp(argv[2], "copies") == 0 && argc == 4)
		copies(strtoull(argv[3], NULL, 10));
	else if (strcmp(argv[2], "first") == 0)
		first();
	else
		fail("usage", 0);
	return 0;
}
