// A host program that does to its process what programs do: signals, forks, exits while a kernel runs. The first argument
// says what. Where nothing else is said it prints "ok".

#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void need(cl_int code, int line) {
	if (code != CL_SUCCESS) {
		printf("process.c:%d: error %d\n", line, code);
		exit(3);
	}
}
#define NEED(code) need(code, __LINE__)

enum { N = 256 };
static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel add, spin;
static cl_mem buffer;

static void start(void) {
	cl_int err, zero[N] = {0};
	NEED(clGetPlatformIDs(1, &platform, NULL));
	NEED(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	NEED(err);
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	NEED(err);
	const char *source = "kernel void add(global int *a) { a[get_global_id(0)] += 1; }\n"
		"kernel void spin(global int *a, ulong n) { for (ulong i = 0; i < n; i++) a[get_global_id(0)] += i ^ a[0]; }\n";
	program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	NEED(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	add = clCreateKernel(program, "add", &err);
	NEED(err);
	spin = clCreateKernel(program, "spin", &err);
	NEED(err);
	buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zero, zero, &err);
	NEED(err);
	NEED(clSetKernelArg(add, 0, sizeof buffer, &buffer));
	NEED(clSetKernelArg(spin, 0, sizeof buffer, &buffer));
}

// use adds 1 to all elements.
static void use(void) {
	static cl_int count;
	cl_int a[N];
	size_t n = N;
	NEED(clEnqueueNDRangeKernel(queue, add, 1, NULL, &n, NULL, 0, NULL, NULL));
	NEED(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL));
	count++;
	for (int i = 0; i < N; i++)
		if (a[i] != count)
			NEED(1);
}

// run_on launches a kernel that runs n steps: about for ever.
static void run_on(cl_ulong n) {
	size_t all = N;
	cl_event event;
	cl_int status;
	NEED(clSetKernelArg(spin, 1, sizeof n, &n));
	NEED(clEnqueueNDRangeKernel(queue, spin, 1, NULL, &all, NULL, 0, NULL, &event));
	do {
		usleep(1000);
		NEED(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	} while (status > CL_RUNNING);
	usleep(20000);
}
#define FOR_EVER 100000000000ul

static volatile sig_atomic_t signals;
static sigjmp_buf back;
static void count_signal(int s) {
	char room[6000]; // as handlers have
	memset(room, s, sizeof room);
	__asm__ volatile("" ::"r"(room) : "memory");
	signals++;
}
static void jump(int s) { siglongjmp(back, s); }

static void handle(int s, void (*f)(int)) {
	struct sigaction a = {.sa_handler = f, .sa_flags = SA_RESTART};
	sigaction(s, &a, NULL);
}

static void timer(int which, int s, int early) {
	struct itimerval t = {{0, 500}, {0, 500}};
	if (early)
		handle(s, count_signal);
	start();
	if (!early) {
		handle(s, count_signal);
		usleep(10000); // the driver looks for handlers every few milliseconds
		NEED(clFinish(queue));
	}
	setitimer(which, &t, NULL);
	for (int i = 0; i < 200 || signals < 20; i++) {
		use();
		if (i % 50 == 0) {
			cl_program p = clCreateProgramWithSource(context, 1, &(const char *){"kernel void k(global int *a) { a[0]++; }"}, NULL, NULL);
			NEED(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
			NEED(clReleaseProgram(p));
		}
	}
}

static void fault(int early) {
	int *volatile nowhere = NULL;
	if (early)
		handle(SIGSEGV, jump);
	start();
	if (!early)
		handle(SIGSEGV, jump);
	for (int i = 0; i < 20; i++) {
		use();
		if (sigsetjmp(back, 1) == 0) {
			*nowhere = 1;
			NEED(1);
		}
		signals++;
	}
	use();
}

static int child(void (*f)(void)) {
	int status = 0;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		f();
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		NEED(1);
	return status;
}

static void nothing(void) {}
static char *self;
static void other_program(void) {
	execl(self, self, "plain", NULL);
	_exit(9);
}

// refused calls functions of each kind of result in a child of fork.
static void refused(void) {
	cl_int code = 0;
	cl_uint count;
	cl_event event;
	size_t n = N;
	int wrong = clGetPlatformIDs(1, &platform, &count) != CL_OUT_OF_RESOURCES;
	wrong |= clEnqueueNDRangeKernel(queue, add, 1, NULL, &n, NULL, 0, NULL, &event) != CL_OUT_OF_RESOURCES;
	wrong |= clFinish(queue) != CL_OUT_OF_RESOURCES;
	wrong |= clCreateBuffer(context, 0, 64, NULL, &code) != NULL || code != CL_OUT_OF_RESOURCES;
	wrong |= clSVMAlloc(context, 0, 64, 0) != NULL;
	clSVMFree(context, NULL);
	wrong |= clReleaseCommandQueue(queue) != CL_OUT_OF_RESOURCES;
	_exit(wrong);
}

static void say_at_exit(void) {
	use();
	NEED(clReleaseKernel(add));
	NEED(clReleaseCommandQueue(queue));
	NEED(clReleaseContext(context));
	puts("at exit");
}

static void *exit_thread(void *unused) { exit(7); }

// waiting blocks signals in all threads of the program, one of which waits for them.
static void *wait_thread(void *set) {
	int s;
	while (sigwait(set, &s) == 0)
		signals++;
	return NULL;
}

static void waiting(void) {
	static sigset_t set;
	pthread_t thread;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, wait_thread, &set);
	start();
	for (int i = 0; i < 50; i++) {
		int before = signals;
		use();
		kill(getpid(), i % 2 == 0 ? SIGTERM : SIGUSR1);
		while (signals == before)
			usleep(100);
	}
}

static void load(const char *library) {
	for (int i = 0; i < 3; i++) {
		void *l = dlopen(library, RTLD_NOW | RTLD_LOCAL);
		if (l == NULL)
			NEED(1);
		cl_int (*get)(cl_uint, cl_platform_id *, cl_uint *) = dlsym(l, "clGetPlatformIDs");
		cl_uint n = 0;
		NEED(get(0, NULL, &n));
		if (n != 1)
			NEED(1);
		dlclose(l);
	}
}

int main(int argc, char **argv) {
	const char *what = argv[1];
	self = argv[0];
#define IS(name) (strcmp(what, name) == 0)
	if (IS("plain")) {
		start();
		use();
	} else if (IS("run-on")) { // is killed
		start();
		run_on(FOR_EVER);
		puts("running");
		fflush(stdout);
		for (;;)
			pause();
	} else if (IS("exit")) {
		start();
		run_on(FOR_EVER);
		exit(7);
	} else if (IS("return")) {
		start();
		run_on(FOR_EVER);
		return 7;
	} else if (IS("_exit")) {
		start();
		run_on(FOR_EVER);
		_exit(7);
	} else if (IS("exit-thread")) {
		pthread_t thread;
		start();
		run_on(FOR_EVER);
		pthread_create(&thread, NULL, exit_thread, NULL);
		NEED(clFinish(queue));
	} else if (IS("at-exit")) {
		atexit(say_at_exit);
		start();
		use();
		return 7;
	} else if (IS("at-exit-late")) {
		start();
		use();
		atexit(say_at_exit);
		return 7;
	} else if (IS("fork")) {
		start();
		use();
		if (child(nothing) != 0)
			NEED(1);
		use();
		run_on(1 << 16);
		if (child(nothing) != 0)
			NEED(1);
		NEED(clFinish(queue));
	} else if (IS("fork-exec")) {
		start();
		use();
		if (child(other_program) != 0)
			NEED(1);
		use();
		if (system("exit 5") != 5 << 8)
			NEED(1);
	} else if (IS("fork-use")) {
		start();
		use();
		if (child(refused) != 0)
			NEED(1);
		run_on(1 << 16);
		if (child(refused) != 0)
			NEED(1);
		NEED(clFinish(queue));
	} else if (IS("fork-first")) {
		if (child(refused) != 0)
			NEED(1);
		start();
		use();
	} else if (IS("segv-early")) {
		fault(1);
	} else if (IS("segv-late")) {
		fault(0);
	} else if (IS("segv-default")) { // dies of it
		start();
		use();
		*(int *volatile)NULL = 1;
	} else if (IS("alarm-early")) {
		timer(ITIMER_REAL, SIGALRM, 1);
	} else if (IS("alarm-late")) {
		timer(ITIMER_REAL, SIGALRM, 0);
	} else if (IS("prof-early")) {
		timer(ITIMER_PROF, SIGPROF, 1);
	} else if (IS("prof-late")) {
		timer(ITIMER_PROF, SIGPROF, 0);
	} else if (IS("interrupt")) {
		handle(SIGINT, count_signal);
		start();
		use();
		for (int i = 0; i < 20; i++)
			kill(getpid(), SIGINT);
		use();
		if (signals == 0)
			NEED(1);
	} else if (IS("interrupt-default")) { // dies of it
		start();
		run_on(FOR_EVER);
		kill(getpid(), SIGINT);
		NEED(clFinish(queue));
	} else if (IS("waiting")) {
		waiting();
	} else if (IS("load")) {
		load(argv[2]);
	} else {
		NEED(1);
	}
	puts("ok");
	return 0;
}
