// Where a host calls from.

#define LOCKSTEP_NAMES_OF_OPENCL
#include "opencl.h"
#include <stdatomic.h>
#include <unwind.h>

// What is known of addresses that calls returned to: twice the address, and 1 more where a wrapper of OpenCL is there, so
// that the functions around the call have to be looked at to find the program's. To unwind the stack takes about a
// microsecond; to look here, nothing. Two addresses that share a place take it from each other.
enum { KNOWN = 256 };
static _Atomic uintptr_t known[KNOWN];

static _Atomic uintptr_t *place(uintptr_t at) { return &known[(at ^ at >> 8) % KNOWN]; }

void lockstep_remember(uintptr_t at, int wrapper) {
	atomic_store_explicit(place(at), at << 1 | (wrapper != 0), memory_order_relaxed);
}

typedef struct {
	lockstep_calls *calls;
	uintptr_t to;
	unsigned skipped;
} walk;

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data) {
	walk *w = data;
	uintptr_t at = _Unwind_GetIP(context);
	if (w->calls->n == 0 && at != w->to) // a function of this library
		return ++w->skipped < 8 ? _URC_NO_REASON : _URC_NORMAL_STOP;
	w->calls->at[w->calls->n++] = at;
	return w->calls->n < LOCKSTEP_CALLS ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

void lockstep_take_calls(lockstep_calls *calls, void *to) {
	uintptr_t at = (uintptr_t)to, seen = atomic_load_explicit(place(at), memory_order_relaxed);
	if (seen != at << 1) {
		walk w = {calls, at, 0};
		calls->n = 0;
		calls->fresh = seen != (at << 1 | 1);
		_Unwind_Backtrace(step, &w);
		if (calls->n != 0)
			return;
	} else {
		calls->fresh = 0;
	}
	calls->n = 1;
	calls->at[0] = at;
}
