// What the driver's C and Go parts share: the headers of OpenCL, the layout of a handle, types for cgo, and calls of
// functions that the host has given.

#ifndef LOCKSTEP_OPENCL_H
#define LOCKSTEP_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS

#define CL_ENABLE_BETA_EXTENSIONS // cl_khr_command_buffer, in newer headers

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// A handle is what a cl_context, cl_mem and so on points to. The loader reads the first word only
// (cl_khr_icd); the driver itself looks handles up by their address.
typedef struct {
	const void *dispatch;
	uint64_t magic;
} lockstep_handle;

#define LOCKSTEP_MAGIC UINT64_C(0x706574736b636f6c) // "lockstep"

// What headers of 2023 do not have, or have elsewhere.
#ifndef CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 0x129A
#endif
#ifndef CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS_KHR 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES_KHR 0x12BB
#endif
#ifndef CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
#endif
#ifndef CL_MEM_DEVICE_ADDRESS_EXT
#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT 0x5000
#define CL_MEM_DEVICE_ADDRESS_EXT 0x5001
#define CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT 0x5002
#endif
#ifndef CL_MEM_IMMUTABLE_EXT
#define CL_MEM_IMMUTABLE_EXT (1 << 6)
#endif
#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#endif
#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR (1 << 0)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR (1 << 2)
#endif
#ifndef CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR
#define CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR 0x2035
#endif
#ifndef CL_COMMAND_BUFFER_CONTEXT_KHR
#define CL_COMMAND_BUFFER_CONTEXT_KHR 0x1299
#endif

// A child of fork has no threads of Go. Every function of OpenCL is refused there (see internal/entries).
extern volatile int lockstep_forked;
extern void lockstep_complain_of_fork(void);

// lockstep_enter prepares the process for Go. It is called before each function of Go.
extern void lockstep_enter(void);

// lockstep_calls is where the host has called from: the address that the call returns to, and those of the functions
// around it, as far as they were asked for. See calls.c.
enum { LOCKSTEP_CALLS = 24 };
typedef struct {
	uint32_t n;
	uint32_t fresh; // Go is to say what is at the first address, by lockstep_remember
	uintptr_t at[LOCKSTEP_CALLS];
} lockstep_calls;
extern void lockstep_take_calls(lockstep_calls *calls, void *to);
extern void lockstep_remember(uintptr_t at, int wrapper);

extern const void *lockstep_dispatch(void);
extern void *lockstep_entry(const char *name);

static inline void *lockstep_new_handle(void) {
	lockstep_handle *h = malloc(sizeof *h);
	if (h != NULL) {
		h->dispatch = lockstep_dispatch();
		h->magic = LOCKSTEP_MAGIC;
	}
	return h;
}

// lockstep_malloc is malloc. C.malloc ends the process where memory is short.
static inline void *lockstep_malloc(size_t n) { return malloc(n); }

// Types of which cgo has no way to say that they are constant.
typedef const char const_char;
typedef const void *const_pointer;
typedef const size_t const_size_t;
typedef const unsigned char *const_bytes;
typedef const_bytes const const_bytes_const;
typedef const char *string;
typedef const cl_bool const_cl_bool;
typedef const cl_context_properties const_cl_context_properties;
typedef const cl_command_queue const_cl_command_queue;
typedef const cl_device_id const_cl_device_id;
typedef const cl_device_partition_property const_cl_device_partition_property;
typedef const cl_event const_cl_event;
typedef const cl_image_desc const_cl_image_desc;
typedef const cl_image_format const_cl_image_format;
typedef const cl_mem const_cl_mem;
typedef const cl_mem_properties const_cl_mem_properties;
typedef const cl_mem_properties_intel const_cl_mem_properties_intel;
typedef const cl_pipe_properties const_cl_pipe_properties;
typedef const cl_program const_cl_program;
typedef const cl_properties const_cl_properties;
typedef const cl_queue_properties const_cl_queue_properties;
typedef const cl_sampler_properties const_cl_sampler_properties;
typedef const cl_semaphore_khr const_cl_semaphore_khr;
typedef const cl_semaphore_payload_khr const_cl_semaphore_payload_khr;
typedef const cl_sync_point_khr const_cl_sync_point_khr;

typedef void(CL_CALLBACK *context_notify)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK *context_destroyed)(cl_context, void *);
typedef void(CL_CALLBACK *program_notify)(cl_program, void *);
typedef void(CL_CALLBACK *memory_destroyed)(cl_mem, void *);
typedef void(CL_CALLBACK *event_notify)(cl_event, cl_int, void *);
typedef void(CL_CALLBACK *native_kernel)(void *);
typedef void(CL_CALLBACK *svm_free)(cl_command_queue, cl_uint, void *[], void *);

static inline void call_context_notify(context_notify f, const char *text, void *data) { f(text, NULL, 0, data); }
static inline void call_context_destroyed(context_destroyed f, cl_context c, void *data) { f(c, data); }
static inline void call_program_notify(program_notify f, cl_program p, void *data) { f(p, data); }
static inline void call_memory_destroyed(memory_destroyed f, cl_mem m, void *data) { f(m, data); }
static inline void call_event_notify(event_notify f, cl_event e, cl_int status, void *data) { f(e, status, data); }
static inline void call_svm_free(svm_free f, cl_command_queue q, cl_uint n, void **list, void *data) { f(q, n, list, data); }
static inline void call_native_kernel(native_kernel f, void *args) { f(args); }

// lockstep_print writes to the host's stdout, behind what the host has in its buffer.
static inline void lockstep_print(const void *text, size_t n) {
	fwrite(text, 1, n, stdout);
	fflush(stdout);
}

// In what cgo makes of this file the functions of Go have the names of names.h, and leave those of OpenCL to entries.c.
#ifndef LOCKSTEP_NAMES_OF_OPENCL
#include "names.h"
#endif

#endif
