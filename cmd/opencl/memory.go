package main

// #include "opencl.h"
//
// // lockstep_alloc returns n bytes of zeros that start at a multiple of align. *raw is for free.
// static void *lockstep_alloc(size_t n, size_t align, void **raw) {
//	if (n > SIZE_MAX - align)
//		return NULL;
//	*raw = calloc(1, n + align);
//	if (*raw == NULL)
//		return NULL;
//	return (void *)(((uintptr_t)*raw + align - 1) / align * align);
// }
import "C"

import (
	"errors"
	"math"
	"sync"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
	mem "github.com/lockstep-gpu/lockstep/memory"
)

// memory is a cl_mem: a buffer, a sub-buffer, an image or a pipe. Its bytes are memory of C, which the device has as a
// buffer of its own, and to which clEnqueueMap… gives the host a pointer.
type memory struct {
	object
	ctx        *clContext
	kind       C.cl_mem_object_type
	flags      C.cl_mem_flags
	properties []C.cl_mem_properties
	size       uint64
	hostPtr    unsafe.Pointer // what the host gave with CL_MEM_USE_HOST_PTR
	data       unsafe.Pointer // the bytes; nil for a pipe
	raw        unsafe.Pointer // what data was allocated as, if the driver did
	shadow     bool           // the host's memory is not data: map and unmap copy
	svm        bool           // hostPtr is shared virtual memory
	addressed  bool           // the buffer has a device address
	allocation *svmMemory     // that gives it the address, where that is no other shared virtual memory

	buffer *emu.Buffer
	parent *memory // of a sub-buffer, and the buffer or image that an image is made of
	origin uint64  // of a sub-buffer

	image *imageState
	pipe  *pipeState

	mu         sync.Mutex
	maps       []mapping
	destructor []func()
}

// mapping is a part of an object that the host has mapped.
type mapping struct {
	at    unsafe.Pointer
	write func() // takes back what the host may have written
}

func findMemory(h C.cl_mem) (*memory, bool) { return lookup[*memory](unsafe.Pointer(h)) }

func (m *memory) id() C.cl_mem { return C.cl_mem(m.handle) }

// bytes are the bytes of the object.
func (m *memory) bytes() []byte { return unsafe.Slice((*byte)(m.data), m.size) }

// host are the bytes of the object where the host sees them.
func (m *memory) host() unsafe.Pointer {
	if m.shadow {
		return m.hostPtr
	}
	return m.data
}

// checkFlags checks the flags of a new object, and the pointer that comes with them.
func checkFlags(flags C.cl_mem_flags, host unsafe.Pointer) C.cl_int {
	const access = C.CL_MEM_READ_WRITE | C.CL_MEM_READ_ONLY | C.CL_MEM_WRITE_ONLY
	const hostAccess = C.CL_MEM_HOST_WRITE_ONLY | C.CL_MEM_HOST_READ_ONLY | C.CL_MEM_HOST_NO_ACCESS
	const pointers = C.CL_MEM_USE_HOST_PTR | C.CL_MEM_ALLOC_HOST_PTR | C.CL_MEM_COPY_HOST_PTR
	several := func(f C.cl_mem_flags) bool { return f&(f-1) != 0 }
	switch {
	case flags&^(access|hostAccess|pointers|C.CL_MEM_KERNEL_READ_AND_WRITE|C.CL_MEM_IMMUTABLE_EXT) != 0, changes(flags),
		flags&C.CL_MEM_IMMUTABLE_EXT != 0 && flags&(C.CL_MEM_USE_HOST_PTR|C.CL_MEM_COPY_HOST_PTR) == 0,
		several(flags & access), several(flags & hostAccess),
		flags&C.CL_MEM_USE_HOST_PTR != 0 && flags&(C.CL_MEM_ALLOC_HOST_PTR|C.CL_MEM_COPY_HOST_PTR) != 0:
		return C.CL_INVALID_VALUE
	case (host != nil) != (flags&(C.CL_MEM_USE_HOST_PTR|C.CL_MEM_COPY_HOST_PTR) != 0):
		return C.CL_INVALID_HOST_PTR
	}
	return C.CL_SUCCESS
}

// changes says whether flags contradict each other, since they are those of an immutable object that somebody may write.
func changes(flags C.cl_mem_flags) bool {
	return flags&C.CL_MEM_IMMUTABLE_EXT != 0 && flags&(C.CL_MEM_READ_WRITE|C.CL_MEM_WRITE_ONLY|C.CL_MEM_HOST_WRITE_ONLY|C.CL_MEM_KERNEL_READ_AND_WRITE) != 0
}

// immutable says that nothing changes the object's contents (cl_ext_immutable_memory_objects).
func (m *memory) immutable() bool { return m.flags&C.CL_MEM_IMMUTABLE_EXT != 0 }

// forbids says whether kernels must do with a buffer only what the flag says. OpenCL leaves anything else undefined, and
// programs do it: without checks it is allowed, but for immutable buffers.
func (m *memory) forbids(flag C.cl_mem_flags) bool {
	if m.immutable() && flag == C.CL_MEM_READ_ONLY && m.kind == C.CL_MEM_OBJECT_BUFFER {
		return true
	}
	return sessionOptions.Check && m.flags&flag != 0 && m.kind == C.CL_MEM_OBJECT_BUFFER
}

// allocate returns size bytes of zeros, memory of C that starts at a multiple of align, and what [C.free]
// takes. Both are nil if memory is short. It is placed as package memory places its own: large buffers start
// at different places of a page, since a processor takes accesses to the same place of different pages for
// accesses to the same bytes, and get large pages.
func allocate(size, align uint64) (data, raw unsafe.Pointer) {
	const page = 1 << 12
	shift := uint64(0)
	if align <= baseAlign {
		if shift = mem.Colour(size) &^ (baseAlign - 1); shift != 0 {
			align = page
		}
	}
	if size > math.MaxUint64-shift {
		return nil, nil
	}
	data = C.lockstep_alloc(C.size_t(size+shift), C.size_t(align), &raw)
	if data == nil {
		return nil, nil
	}
	data = unsafe.Add(data, shift)
	mem.AdviseHuge(unsafe.Slice((*byte)(data), size))
	return data, raw
}

// back gives the object its bytes, with what the host pointer holds, and the device a buffer of them.
func (m *memory) back(host unsafe.Pointer) C.cl_int {
	if m.flags&C.CL_MEM_USE_HOST_PTR != 0 {
		m.hostPtr = host
		if a, offset := m.ctx.findSVM(host); a != nil {
			if a.size-offset < m.size {
				return C.CL_INVALID_BUFFER_SIZE
			}
			m.svm = true
		}
		align := m.device().Limits().BaseAlign
		if m.svm {
			align = 8 // for AdoptBuffer
		}
		if uintptr(host)%uintptr(align) == 0 {
			m.data = host
		} else {
			m.shadow = true
		}
	}
	if m.data == nil {
		if m.data, m.raw = allocate(m.size, baseAlign); m.data == nil {
			return C.CL_MEM_OBJECT_ALLOCATION_FAILURE
		}
		if host != nil {
			copy(m.bytes(), unsafe.Slice((*byte)(host), m.size))
		}
	}
	if m.addressed && (!m.svm || m.shadow) {
		if err := m.address(emu.SVMOptions{ReadOnly: m.forbids(C.CL_MEM_READ_ONLY), WriteOnly: m.forbids(C.CL_MEM_WRITE_ONLY)}); err != nil {
			C.free(m.raw)
			return allocationCode(err)
		}
		return C.CL_SUCCESS
	}
	from := m.device().NewBufferFrom
	if m.svm && !m.shadow {
		from = m.device().AdoptBuffer // which keeps the addresses of shared virtual memory
	}
	b, err := from(m.bytes(), emu.BufferOptions{
		ReadOnly:  m.forbids(C.CL_MEM_READ_ONLY),
		WriteOnly: m.forbids(C.CL_MEM_WRITE_ONLY),
		Undefined: host == nil,
	})
	if err != nil {
		C.free(m.raw)
		return allocationCode(err)
	}
	m.buffer = b
	return C.CL_SUCCESS
}

// allocationCode is the code for an error of package emu where memory is made.
func allocationCode(err error) C.cl_int {
	var limit *emu.LimitError
	if errors.As(err, &limit) {
		return C.CL_MEM_OBJECT_ALLOCATION_FAILURE
	}
	return C.CL_INVALID_VALUE
}

func (m *memory) device() *emu.Device { return m.ctx.devices[0].emu }

// enter makes the handle.
func (m *memory) enter() C.cl_int {
	if !enter(m, m.end) {
		m.free()
		return C.CL_OUT_OF_HOST_MEMORY
	}
	m.ctx.hold()
	if m.parent != nil {
		m.parent.hold()
	}
	return C.CL_SUCCESS
}

// end frees the object, and calls what the host wants to be called then, the last one first. It does not wait
// for a launch that runs: the object is freed behind it then.
func (m *memory) end() {
	freeBehind(m.tryFree, m.free, func() {
		m.mu.Lock()
		calls := m.destructor
		m.mu.Unlock()
		for i := len(calls) - 1; i >= 0; i-- {
			calls[i]()
		}
		if m.parent != nil {
			m.parent.drop()
		}
		m.ctx.drop()
	})
}

// free gives back what the object has of the device and of the host. Nothing uses it any more.
func (m *memory) free() {
	m.freed((*emu.Image).Free, (*emu.Pipe).Close, (*emu.Buffer).Free, (*emu.SVM).Free)
}

// tryFree is free, unless that had to wait for a launch. It is false then, and may have freed a part.
func (m *memory) tryFree() bool {
	return m.freed((*emu.Image).TryFree, (*emu.Pipe).TryClose, (*emu.Buffer).TryFree, (*emu.SVM).TryFree)
}

// freed gives back what the object has by functions that free things of the device. It is false if one of
// them did not want to wait.
func (m *memory) freed(image func(*emu.Image) error, pipe func(*emu.Pipe) error,
	buffer func(*emu.Buffer) error, svm func(*emu.SVM) error) bool {
	var err error
	if m.image != nil && m.image.emu != nil {
		if err = image(m.image.emu); errors.Is(err, emu.ErrBusy) {
			return false
		}
		m.image.emu = nil
	}
	if m.pipe != nil {
		err = pipe(m.pipe.emu)
	}
	switch {
	case errors.Is(err, emu.ErrBusy):
	case m.allocation != nil:
		err = errors.Join(err, m.unaddress(svm))
	case m.buffer != nil:
		err = errors.Join(err, buffer(m.buffer))
	}
	switch {
	case errors.Is(err, emu.ErrBusy):
		return false
	case err != nil:
		complain("a memory object cannot be freed: " + err.Error())
	default: // the device does not lead to its bytes any more
		C.free(m.raw)
	}
	return true
}

// mapped gives the host a part of the object. n bytes from offset on are what it may see; they are copied where the
// host has its own memory.
func (m *memory) mapped(flags C.cl_map_flags, offset, n uint64) unsafe.Pointer {
	p := unsafe.Add(m.host(), offset)
	x := mapping{at: p}
	if m.shadow && flags&(C.CL_MAP_WRITE|C.CL_MAP_WRITE_INVALIDATE_REGION) != 0 {
		x.write = func() { copy(m.bytes()[offset:][:n], unsafe.Slice((*byte)(p), n)) }
	}
	m.mu.Lock()
	m.maps = append(m.maps, x)
	m.mu.Unlock()
	return p
}

// unmapped ends the newest mapping at a pointer. It is false if there is none.
func (m *memory) unmapped(p unsafe.Pointer) (mapping, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.maps) - 1; i >= 0; i-- {
		if x := m.maps[i]; x.at == p {
			m.maps = append(m.maps[:i], m.maps[i+1:]...)
			return x, true
		}
	}
	return mapping{}, false
}

//export clRetainMemObject
func clRetainMemObject(h C.cl_mem) C.cl_int {
	if !retain[*memory](unsafe.Pointer(h)) {
		return C.CL_INVALID_MEM_OBJECT
	}
	return C.CL_SUCCESS
}

//export clReleaseMemObject
func clReleaseMemObject(h C.cl_mem) C.cl_int {
	if !release[*memory](unsafe.Pointer(h)) {
		return C.CL_INVALID_MEM_OBJECT
	}
	return C.CL_SUCCESS
}

//export clSetMemObjectDestructorCallback
func clSetMemObjectDestructorCallback(h C.cl_mem, f C.memory_destroyed, data unsafe.Pointer) C.cl_int {
	m, ok := findMemory(h)
	if !ok {
		return C.CL_INVALID_MEM_OBJECT
	}
	if f == nil {
		return C.CL_INVALID_VALUE
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.destructor = append(m.destructor, func() { C.call_memory_destroyed(f, h, data) })
	return C.CL_SUCCESS
}

//export clGetMemObjectInfo
func clGetMemObjectInfo(h C.cl_mem, name C.cl_mem_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	m, ok := findMemory(h)
	if !ok {
		return C.CL_INVALID_MEM_OBJECT
	}
	a := answer{size, value, ret}
	switch name {
	case C.CL_MEM_TYPE:
		return put(a, m.kind)
	case C.CL_MEM_FLAGS:
		return put(a, m.flags)
	case C.CL_MEM_SIZE:
		return a.sizeT(m.size)
	case C.CL_MEM_HOST_PTR:
		return put(a, m.hostPtr)
	case C.CL_MEM_MAP_COUNT:
		m.mu.Lock()
		defer m.mu.Unlock()
		return a.uint(len(m.maps))
	case C.CL_MEM_REFERENCE_COUNT:
		return put(a, m.references())
	case C.CL_MEM_CONTEXT:
		return put(a, m.ctx.id())
	case C.CL_MEM_ASSOCIATED_MEMOBJECT:
		if m.parent == nil {
			return put(a, C.cl_mem(nil))
		}
		return put(a, m.parent.id())
	case C.CL_MEM_OFFSET:
		return a.sizeT(m.origin)
	case C.CL_MEM_USES_SVM_POINTER:
		return a.bool(m.svm)
	case C.CL_MEM_DEVICE_ADDRESS_EXT:
		return m.deviceAddresses(a)
	case C.CL_MEM_PROPERTIES:
		return puts(a, m.properties)
	}
	return C.CL_INVALID_VALUE
}

// place finds a queue and an object for a command, both of one context.
func place(hq C.cl_command_queue, hm C.cl_mem) (*queue, *memory, C.cl_int) {
	q, ok := findQueue(hq)
	if !ok {
		return nil, nil, C.CL_INVALID_COMMAND_QUEUE
	}
	m, ok := findMemory(hm)
	if !ok {
		return nil, nil, C.CL_INVALID_MEM_OBJECT
	}
	if m.ctx != q.ctx {
		return nil, nil, C.CL_INVALID_CONTEXT
	}
	return q, m, C.CL_SUCCESS
}

// hostMay says whether the flags let the host read or write the object.
func (m *memory) hostMay(read, write bool) bool {
	return m.flags&C.CL_MEM_HOST_NO_ACCESS == 0 && (!read || m.flags&C.CL_MEM_HOST_WRITE_ONLY == 0) && (!write || m.flags&(C.CL_MEM_HOST_READ_ONLY|C.CL_MEM_IMMUTABLE_EXT) == 0)
}

// mayMap says whether flags are those of a map, and the object lets the host have it.
func (m *memory) mayMap(flags C.cl_map_flags) C.cl_int {
	switch {
	case flags&^(C.CL_MAP_READ|C.CL_MAP_WRITE|C.CL_MAP_WRITE_INVALIDATE_REGION) != 0,
		flags&C.CL_MAP_WRITE_INVALIDATE_REGION != 0 && flags&(C.CL_MAP_READ|C.CL_MAP_WRITE) != 0:
		return C.CL_INVALID_VALUE
	case !m.hostMay(flags&C.CL_MAP_READ != 0, flags&(C.CL_MAP_WRITE|C.CL_MAP_WRITE_INVALIDATE_REGION) != 0):
		return C.CL_INVALID_OPERATION
	}
	return C.CL_SUCCESS
}

// share copies a part of the object to where the host sees it, if that is elsewhere.
func (m *memory) share(offset, n uint64) {
	if m.shadow {
		copy(unsafe.Slice((*byte)(unsafe.Add(m.hostPtr, offset)), n), m.bytes()[offset:][:n])
	}
}

//export clEnqueueUnmapMemObject
func clEnqueueUnmapMemObject(hq C.cl_command_queue, hm C.cl_mem, p unsafe.Pointer, n C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, m, code := place(hq, hm)
	if code != C.CL_SUCCESS {
		return code
	}
	m.mu.Lock()
	found := false
	for _, x := range m.maps {
		found = found || x.at == p
	}
	m.mu.Unlock()
	if !found {
		return C.CL_INVALID_VALUE
	}
	return q.put(waitList{n, wait, ev}, command{kind: C.CL_COMMAND_UNMAP_MEM_OBJECT, uses: []*object{&m.object}, run: func() C.cl_int {
		if x, ok := m.unmapped(p); ok && x.write != nil {
			x.write()
		}
		return C.CL_SUCCESS
	}})
}

//export clEnqueueMigrateMemObjects
func clEnqueueMigrateMemObjects(hq C.cl_command_queue, count C.cl_uint, mems *C.const_cl_mem, flags C.cl_mem_migration_flags, n C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	if _, ok := findQueue(hq); !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	if count == 0 || mems == nil || flags&^(C.CL_MIGRATE_MEM_OBJECT_HOST|C.CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0 {
		return C.CL_INVALID_VALUE
	}
	var uses []*object
	var q *queue
	for _, h := range list(count, (*C.cl_mem)(unsafe.Pointer(mems))) {
		to, m, code := place(hq, h)
		if code != C.CL_SUCCESS {
			return code
		}
		q, uses = to, append(uses, &m.object)
	}
	return q.put(waitList{n, wait, ev}, command{kind: C.CL_COMMAND_MIGRATE_MEM_OBJECTS, uses: uses})
}
