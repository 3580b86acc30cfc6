// What the generated program of TestHostile calls functions with: handles that are valid, released, of another kind or
// null, pointers, sizes and names, at random. The program defines calls and call_at_random.
//
// A host that lies about its own memory ends by its own fault, so that pointers lead to enough memory for all sizes but
// those that no memory can have. Counts that are too large come with null pointers.

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum kind { CONTEXT, QUEUE, MEM, PROGRAM, KERNEL, EVENT, SAMPLER, COMMANDS, SEMAPHORE, DEVICE, PLATFORM, KINDS };
enum { POOL = 16, HOST = 64 << 20, TEXT = 4096 };

static void *volatile pool[KINDS][POOL];
static void *volatile mapped[POOL], *volatile to_free[POOL], *shared[4];
static char *host;
static char binary[1 << 16];
static size_t binary_size;

static __thread uint64_t state;
static __thread int wild; // the present call has sizes and counts that are too large

static uint64_t next_number(void) {
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64_C(0x2545F4914F6CDD1D) >> 16;
}
static uint64_t r(uint64_t n) { return next_number() % n; }

static void *handle(enum kind k) {
	uint64_t x = r(100);
	if (x < 50)
		return pool[k][r(POOL)];
	if (x < 80)
		return pool[k][0];
	if (x < 87)
		return NULL;
	if (x < 95)
		return pool[r(KINDS)][r(POOL)];
	return x < 97 ? (void *)host : (void *)(uintptr_t)next_number();
}

static void keep(enum kind k, void *h) {
	if (h != NULL)
		pool[k][1 + r(POOL - 1)] = h; // the first one stays
}

// Events of the user are completed by a thread, which has references to them that no call at random takes.
static pthread_mutex_t users_lock = PTHREAD_MUTEX_INITIALIZER;
static cl_event users[4096];
static unsigned user_count;
static volatile int stop;

static void keep_user(cl_event e) {
	if (e == NULL)
		return;
	for (int i = 0; i < 64; i++)
		clRetainEvent(e);
	pthread_mutex_lock(&users_lock);
	if (user_count < sizeof users / sizeof *users)
		users[user_count++] = e;
	else
		clSetUserEventStatus(e, CL_COMPLETE);
	pthread_mutex_unlock(&users_lock);
	keep(EVENT, e);
}

// Semaphores are signaled by the same thread, since calls at random wait for them more often.
static cl_semaphore_khr semaphores[2];
static cl_command_queue signals;

static void *complete(void *unused) {
	for (int last = 0; !last; usleep(300)) {
		last = stop;
		lockstepEnqueueSignalSemaphores(signals, 2, semaphores, NULL, 0, NULL, NULL);
		pthread_mutex_lock(&users_lock);
		for (unsigned i = 0; i < user_count; i++) {
			clSetUserEventStatus(users[i], i % 5 == 0 ? -9 : CL_COMPLETE);
			for (int j = 0; j < 32; j++)
				clReleaseEvent(users[i]);
		}
		user_count = 0;
		pthread_mutex_unlock(&users_lock);
	}
	return NULL;
}

static size_t size(void) {
	static const size_t none[] = {SIZE_MAX, SIZE_MAX - 7, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX / 4 + 1, SIZE_MAX / 16 & ~(size_t)63, (size_t)1 << 48};
	if (wild && r(2) == 0)
		return none[r(sizeof none / sizeof *none)];
	switch (r(4)) {
	case 0:
		return (size_t[]){0, 1, 4, 8, 16}[r(5)];
	case 1:
		return r(65);
	case 2:
		return 64 << r(7);
	}
	return r(4097);
}

// count is one of elements behind a pointer, an alignment, a size of a packet.
static cl_uint count(void) {
	if (wild && r(2) == 0)
		return (cl_uint[]){UINT32_MAX, UINT32_MAX - 1, 1u << 31, 1u << 30}[r(4)];
	return r(5) == 0 ? 1 << r(8) : r(3);
}

static cl_uint name(void) {
	switch (r(8)) {
	case 0:
		return 0x900 + r(16);
	case 1:
		return 0x4100 + r(0x200);
	case 2:
		return 0x1290 + r(0x20);
	case 3:
		return 0x11A0 + r(0x20);
	case 4:
		return next_number();
	}
	return 0x1000 + r(0x250);
}

static uint64_t flags(void) { return r(3) == 0 ? 0 : r(10) == 0 ? next_number() : UINT64_C(1) << r(12) | UINT64_C(1) << r(12) * r(2); }

static void *memory(void) { return r(6) == 0 ? NULL : host + r(4096) * (r(3) == 0 ? 1 : 64); }

// scratch is memory of the thread for what a function writes or reads: handles at its start, or text.
static void *scratch(int i) {
	static __thread uint64_t room[8][1024];
	return room[i & 7];
}

// array is a list of handles; nothing stands behind a count that is too large.
static void *array(enum kind k, int i) {
	if (wild || r(5) == 0)
		return NULL;
	void **list = scratch(i);
	for (int j = 0; j < 300; j++)
		list[j] = j < 8 ? r(3) == 0 ? handle(k) : pool[k][0] : NULL;
	return list;
}

static void *sizes(int i, int small) {
	if (r(12) == 0)
		return NULL;
	size_t *list = scratch(i);
	for (int j = 0; j < 300; j++)
		list[j] = small ? r(9) : j < 4 ? size() : 0;
	return list;
}

static void *extents(int i, int small) {
	if (r(12) == 0)
		return NULL;
	size_t *list = scratch(i);
	for (int j = 0; j < 3; j++)
		list[j] = wild && !small ? size() : r(4) == 0 ? r(64) : r(3);
	return list;
}

static void *properties(int i) {
	if (r(3) == 0)
		return NULL;
	uint64_t *list = scratch(i), n = r(4) * 2;
	for (uint64_t j = 0; j < n; j++)
		list[j] = r(3) == 0 ? (uint64_t)handle(r(KINDS)) : r(2) == 0 ? name() : r(8);
	list[n] = 0;
	return list;
}

static const char *text(void) {
	static const char *all[] = {"", "-cl-std=CL3.0", "-cl-std=CL1.1 -DX=1 -Werror", "-D", "-I /nowhere", "-create-library", "\xff\x01", "-cl-std=CL9",
		"copy", "local_copy", "pictures", "pipes", "nothing", "clFinish", "clCommandFillBufferKHR", "-cl-uniform-work-group-size"};
	return r(10) == 0 ? NULL : all[r(sizeof all / sizeof *all)];
}

static const char *source = "#ifndef X\n#define X 2\n#endif\n"
	"kernel void copy(global int *a, global const int *b, int n) { size_t i = get_global_id(0); a[i] = b[i] * X + n; }\n"
	"kernel void local_copy(global int *a, local int *b) { b[get_local_id(0)] = a[0]; barrier(CLK_LOCAL_MEM_FENCE); a[1] = b[0]; printf(\"\"); }\n"
	"kernel void pipes(read_only pipe int a, write_only pipe int b) { int v = 1; read_pipe(a, &v); write_pipe(b, &v); }\n"
	"kernel void pictures(read_only image2d_t a, write_only image2d_t b, sampler_t s) {\n"
	"	write_imagef(b, (int2)((int)get_global_id(0), 0), read_imagef(a, s, (float2)(1.0f, 2.0f))); }\n";

static void *texts(int i) {
	static char all[4][TEXT] = {"kernel void k(global int *a) { a[0] = 1; }\n", "int f(int a) { return a; }\n", "#error no\n"};
	if (wild || r(10) == 0)
		return NULL;
	const char **list = scratch(i);
	for (int j = 0; j < 300; j++)
		list[j] = r(20) == 0 ? NULL : r(2) == 0 ? all[r(4)] : strncpy(all[3], source, TEXT - 1);
	return list;
}

static void *binaries(int i) {
	if (wild || r(10) == 0)
		return NULL;
	const char **list = scratch(i);
	for (int j = 0; j < 300; j++)
		list[j] = r(2) == 0 ? binary : host;
	return list;
}

static void *pointers(int i) {
	if (wild || r(10) == 0)
		return NULL;
	void **list = scratch(i);
	for (int j = 0; j < 300; j++)
		list[j] = j == 0 ? to_free[r(POOL)] : r(2) == 0 ? NULL : host + r(4096);
	return list;
}

static void *format(int i) {
	cl_image_format *f = scratch(i);
	f->image_channel_order = r(5) == 0 ? next_number() : 0x10B0 + r(0x14);
	f->image_channel_data_type = r(5) == 0 ? next_number() : 0x10D0 + r(0x12);
	if (r(2) == 0)
		*f = (cl_image_format){CL_RGBA, CL_FLOAT};
	return r(20) == 0 ? NULL : f;
}

static void *desc(int i) {
	cl_image_desc *d = scratch(i);
	memset(d, 0, sizeof *d);
	d->image_type = r(10) == 0 ? next_number() : 0x10F0 + r(10);
	size_t *fields[] = {&d->image_width, &d->image_height, &d->image_depth, &d->image_array_size};
	for (int j = 0; j < 4; j++)
		*fields[j] = r(20);
	if (wild)
		*fields[r(4)] = size();
	if (r(4) == 0) {
		d->image_row_pitch = size();
		d->image_slice_pitch = r(2) == 0 ? size() : 0;
	}
	if (r(10) == 0)
		d->num_mip_levels = r(3);
	if (r(3) == 0)
		d->mem_object = handle(MEM);
	return r(20) == 0 ? NULL : d;
}

// value is of an argument: a handle or anything.
static void *value(int i) {
	uint64_t *v = scratch(i);
	v[0] = r(4) == 0 ? next_number() : (uint64_t)handle(r(4) == 0 ? SAMPLER : MEM);
	v[1] = size();
	return r(8) == 0 ? NULL : v;
}

static cl_ulong address(void) { return r(4) == 0 ? next_number() : (cl_ulong)(uintptr_t)shared[r(4)] + r(9000); }

static cl_uint argument_size(void) { return r(3) == 0 ? size() : r(2) == 0 ? 4 : 8; }

static void *svm(int freed) {
	if (r(8) == 0)
		return NULL;
	if (freed)
		return r(4) == 0 ? host + r(64) : (char *)to_free[r(POOL)] + (r(4) == 0 ? r(100) : 0);
	return r(3) == 0 ? host + 8 * r(4096) : (char *)shared[r(4)] + 8 * r(128);
}

static void CL_CALLBACK on_context(const char *a, const void *b, size_t c, void *d) {}
static void CL_CALLBACK on_context_end(cl_context c, void *d) {}
static void CL_CALLBACK on_program(cl_program p, void *d) {}
static void CL_CALLBACK on_memory_end(cl_mem m, void *d) {}
static void CL_CALLBACK on_event(cl_event e, cl_int s, void *d) {}
static void CL_CALLBACK on_native(void *a) {}
static void CL_CALLBACK on_free(cl_command_queue q, cl_uint n, void **l, void *d) {}
#define MAYBE(f) (r(3) == 0 ? NULL : f)

static const unsigned calls;
static void call_at_random(unsigned which);

static unsigned long rounds, seed;

static void *work(void *thread) {
	state = seed * 1000 + (uintptr_t)thread + 88172645463325252ull;
	for (unsigned long i = 0; i < rounds; i++) {
		wild = r(5) == 0;
		call_at_random(r(calls));
	}
	return NULL;
}

static void must(cl_int code, int line) {
	if (code != CL_SUCCESS) {
		printf("hostile.h:%d: error %d\n", line, code);
		exit(3);
	}
}
#define MUST(code) must(code, __LINE__)

static void set_up(void) {
	cl_int err;
	cl_platform_id platform;
	cl_device_id device;
	host = mmap(NULL, HOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	MUST(clGetPlatformIDs(1, &platform, NULL));
	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	pool[PLATFORM][0] = platform;
	pool[DEVICE][0] = device;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	MUST(err);
	pool[CONTEXT][0] = context;
	pool[CONTEXT][1] = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	MUST(err);
	pool[QUEUE][0] = queue;
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	MUST(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
	pool[PROGRAM][0] = program;
	cl_kernel kernel = clCreateKernel(program, "copy", &err);
	MUST(err);
	pool[KERNEL][0] = kernel;
	pool[KERNEL][1] = clCreateKernel(program, "local_copy", &err);
	pool[KERNEL][2] = clCreateKernel(program, "pictures", &err);
	cl_mem buffer = clCreateBuffer(context, 0, 4096, NULL, &err);
	MUST(err);
	pool[MEM][0] = buffer;
	cl_kernel pipes = clCreateKernel(program, "pipes", &err);
	MUST(err);
	pool[KERNEL][3] = pipes;
	cl_mem pipe = clCreatePipe(context, 0, 4, 8, NULL, &err);
	MUST(err);
	pool[MEM][1] = pipe;
	MUST(clSetKernelArg(pipes, 0, sizeof pipe, &pipe));
	MUST(clSetKernelArg(pipes, 1, sizeof pipe, &pipe));
	cl_event event = clCreateUserEvent(context, &err);
	MUST(err);
	MUST(clSetUserEventStatus(event, CL_COMPLETE));
	pool[EVENT][0] = event;
	cl_sampler sampler = clCreateSamplerWithProperties(context, NULL, &err);
	MUST(err);
	pool[SAMPLER][0] = sampler;
	signals = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	MUST(err);
	for (int i = 0; i < 2; i++) {
		cl_properties binary_semaphore[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
		semaphores[i] = lockstepCreateSemaphoreWithProperties(context, binary_semaphore, &err);
		MUST(err);
		pool[SEMAPHORE][i] = semaphores[i];
	}
	cl_int n = 3;
	MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	MUST(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
	MUST(clSetKernelArg(kernel, 2, sizeof n, &n));
	MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof binary_size, &binary_size, NULL));
	MUST(binary_size > sizeof binary);
	unsigned char *to = (unsigned char *)binary;
	MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof to, &to, NULL));
	for (int i = 0; i < 4; i++) {
		shared[i] = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 8192, 0);
		MUST(shared[i] == NULL);
	}
	// Calls at random release these less often.
	for (int i = 0; i < 1000000; i++) {
		clRetainContext(context);
		clRetainCommandQueue(queue);
		clRetainMemObject(buffer);
		clRetainProgram(program);
		clRetainKernel(kernel);
		clRetainEvent(event);
		clRetainSampler(sampler);
		lockstepRetainSemaphore(semaphores[0]);
		lockstepRetainSemaphore(semaphores[1]);
	}
}

// Arguments: the number of calls of a thread, the seed, the number of threads.
int main(int argc, char **argv) {
	pthread_t threads[16], completer;
	rounds = strtoul(argv[1], NULL, 10);
	seed = strtoul(argv[2], NULL, 10);
	int n = atoi(argv[3]);
	set_up();
	pthread_create(&completer, NULL, complete, NULL);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	MUST(clFinish(pool[QUEUE][0])); // with what it waits for
	stop = 1;
	pthread_join(completer, NULL);
	puts("ok");
	return 0;
}
