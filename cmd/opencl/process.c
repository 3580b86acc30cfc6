// What the driver has to do in a process that belongs to somebody else: its signals, and its children.

#define LOCKSTEP_NAMES_OF_OPENCL
#include "opencl.h"

volatile int lockstep_forked;

#ifdef _WIN32
void lockstep_complain_of_fork(void) {}
void lockstep_enter(void) {}
#else
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void lockstep_complain_of_fork(void) {
	static volatile int told;
	static const char text[] = "lockstep: a child of fork cannot use OpenCL, unless it executes another program\n";
	if (!told && write(STDERR_FILENO, text, strlen(text)) < 0) {
		// there is nobody else to tell
	}
	told = 1;
}

static void in_child(void) { lockstep_forked = 1; }

// The threads of Go have the signal mask of the thread that loads the library. Signals are the host's: one of its own
// threads takes them, which may have blocked them for another one to wait for them, and has the stack for its handler.
// What is left are those that a thread brings upon itself, and SIGURG, with which Go interrupts its threads.
static sigset_t mask_of_host;

__attribute__((constructor(101))) static void before_go(void) {
	static const int own[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGSEGV, SIGSYS, SIGTRAP, SIGURG};
	sigset_t mask;
	sigfillset(&mask);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		sigdelset(&mask, own[i]);
	pthread_sigmask(SIG_BLOCK, &mask, &mask_of_host);
}

// Constructors without a number are called in the order of the linker's arguments, and Go's is in the first.
__attribute__((constructor)) static void behind_go(void) {
	pthread_sigmask(SIG_SETMASK, &mask_of_host, NULL);
	pthread_atfork(NULL, NULL, in_child);
}

// use_signal_stacks lets handlers of the host interrupt Go. A thread of the host that is in the driver is on the stack of a
// goroutine, and so are Go's own threads, which have SIGPROF and SIGCHLD all the same; these stacks are small. Go gives
// its threads alternate stacks, and handlers that are there when it starts the flag to use them. This is for those that
// came later.
static void use_signal_stacks(void) {
	for (int s = 1; s < NSIG; s++) {
		struct sigaction a, before;
		if (sigaction(s, NULL, &a) != 0)
			continue;
		while (a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN && !(a.sa_flags & SA_ONSTACK)) {
			a.sa_flags |= SA_ONSTACK;
			if (sigaction(s, &a, &before) != 0 || before.sa_handler == a.sa_handler)
				break;
			a = before; // another thread has set it meanwhile
		}
	}
}

#ifdef CLOCK_MONOTONIC_COARSE
#define CLOCK CLOCK_MONOTONIC_COARSE // a few nanoseconds
#else
#define CLOCK CLOCK_MONOTONIC
#endif

void lockstep_enter(void) {
	static _Atomic long last;
	struct timespec t;
	clock_gettime(CLOCK, &t);
	long now = (long)t.tv_sec * 250 + t.tv_nsec / 4000000; // to look takes some microseconds
	if (atomic_load_explicit(&last, memory_order_relaxed) != now) {
		atomic_store_explicit(&last, now, memory_order_relaxed);
		use_signal_stacks();
	}
}
#endif
