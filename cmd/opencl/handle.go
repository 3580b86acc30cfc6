package main

// #include "opencl.h"
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// object is the part that all objects behind handles have in common. An object lives while the host has references to
// it, or other objects hold it.
type object struct {
	handle unsafe.Pointer
	// counts has the references of other objects, and times hostReference those of the host:
	// CL_…_REFERENCE_COUNT.
	counts atomic.Uint64
	// destroy is called when the last reference is gone, without a lock.
	destroy func()
}

func (o *object) base() *object { return o }

// hostReference is a reference of the host's in object.counts.
const hostReference = 1 << 32

type anyObject interface{ base() *object }

// handles has all objects that live, by handle. What is not in it is not touched, so that a handle that was released
// or was never one is an error.
//
// The loader reads a handle before the driver sees it, released ones too. Their memory therefore stays, and becomes new
// handles only when there are many of them.
var handles = struct {
	sync.RWMutex
	objects map[unsafe.Pointer]anyObject
	spare   []unsafe.Pointer // of released objects, the oldest first
}{objects: map[unsafe.Pointer]anyObject{}}

// spares is how many released handles are kept before one is used again.
const spares = 4096

// enter makes a handle for a new object, with one reference of the host's. It is false when memory is short.
func enter(o anyObject, destroy func()) bool {
	handles.Lock()
	defer handles.Unlock()
	var h unsafe.Pointer
	if len(handles.spare) > spares {
		h = handles.spare[0]
		handles.spare = handles.spare[1:]
	} else if h = C.lockstep_new_handle(); h == nil {
		return false
	}
	b := o.base()
	b.handle, b.destroy = h, destroy
	b.counts.Store(hostReference)
	handles.objects[h] = o
	return true
}

// lookup returns the object of a handle.
func lookup[T anyObject](h unsafe.Pointer) (T, bool) {
	handles.RLock()
	o, ok := handles.objects[h].(T)
	handles.RUnlock()
	return o, ok
}

// retain adds a reference of the host's, if the handle is one of a T.
func retain[T anyObject](h unsafe.Pointer) bool {
	o, ok := lookup[T](h)
	return ok && o.base().count(hostReference)
}

// release drops a reference of the host's, if the handle is one of a T that has any.
func release[T anyObject](h unsafe.Pointer) bool {
	o, ok := lookup[T](h)
	return ok && o.base().count(-hostReference)
}

// count adds a reference of the host's, or takes one back. It is false if the host has none.
func (o *object) count(reference int64) bool {
	for {
		old := o.counts.Load()
		if old < hostReference {
			return false
		}
		if now := old + uint64(reference); o.counts.CompareAndSwap(old, now) {
			if now == 0 {
				o.leave()
			}
			return true
		}
	}
}

// hold adds a reference of another object.
func (o *object) hold() { o.counts.Add(1) }

// drop takes back what hold has added.
func (o *object) drop() {
	if o.counts.Add(^uint64(0)) == 0 {
		o.leave()
	}
}

// leave ends an object that nobody has any more.
func (o *object) leave() {
	handles.Lock()
	delete(handles.objects, o.handle)
	handles.Unlock()
	if o.destroy != nil {
		o.destroy()
	}
	handles.Lock()
	handles.spare = append(handles.spare, o.handle)
	handles.Unlock()
}

// references is the number of the host's references.
func (o *object) references() C.cl_uint { return C.cl_uint(o.counts.Load() / hostReference) }

// Sizes that are claims of the host. No memory of a host has as much as mostBytes; nothing that is compiled as mostText.
const (
	mostBytes = 1 << 47
	mostText  = 1 << 30
)

// list returns the n elements at p, which are the host's.
func list[T any, N ~uint32 | ~uint64](n N, p *T) []T {
	if n == 0 || p == nil {
		return nil
	}
	return unsafe.Slice(p, uint64(n))
}

// set stores a value where the host wants it.
func set[T any](p *T, v T) {
	if p != nil {
		*p = v
	}
}
