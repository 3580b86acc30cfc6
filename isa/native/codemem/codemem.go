package codemem

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// ErrUnsupported is wrapped by the error of [Load] and [Host] where lockstep cannot call machine code on this
// system at all.
var ErrUnsupported = fmt.Errorf("codemem: machine code on %s/%s: %w", runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)

// ErrClosed is the error of calls after [Code.Close].
var ErrClosed = errors.New("codemem: code is closed")

const (
	// align is what functions are aligned to: a line of the cache.
	align = 64

	// maxLoad bounds what one Load takes, in bytes.
	maxLoad = 1 << 30
)

// Code is a set of functions in executable memory of their own. It holds the memory until Close, or until
// neither it nor one of its functions can be reached any more. It is safe for concurrent use; Close is not to
// overlap with calls.
type Code struct {
	base    atomic.Uintptr // 0 once closed
	mem     mapping
	entries []uintptr // distances from base
	sys     system
	cleanup runtime.Cleanup
	closing sync.Mutex
}

// Func is a function of a Code. The zero Func is none.
type Func struct {
	code *Code
	off  uintptr
}

// mapping is memory from the system.
type mapping struct {
	bytes []byte
}

// system is how memory is had from the operating system; tests put their own in place.
type system struct {
	alloc   func(size int) (mapping, error) // readable and writable
	protect func(mapping) error             // readable and executable
	free    func(mapping) error
}

// Load copies functions into executable memory, each at an address that is a multiple of 64. Each must follow
// the rules of the package comment. The error says what the system refused; it wraps ErrUnsupported where
// there is no support at all.
func Load(functions ...[]byte) (*Code, error) { return load(host, functions) }

func load(sys system, functions [][]byte) (*Code, error) {
	c := &Code{sys: sys, entries: make([]uintptr, len(functions))}
	size := 0
	for i, f := range functions {
		if len(f) == 0 {
			return nil, fmt.Errorf("codemem: function %d of %d is empty", i, len(functions))
		}
		c.entries[i] = uintptr(size)
		if len(f) > maxLoad-align || size > maxLoad-align-len(f) {
			return nil, fmt.Errorf("codemem: %d functions have more than %d bytes", len(functions), maxLoad)
		}
		size += (len(f) + align - 1) &^ (align - 1)
	}
	if size == 0 {
		return nil, errors.New("codemem: no functions to load")
	}
	page := os.Getpagesize()
	size = (size + page - 1) &^ (page - 1)
	pace()
	mem, err := sys.alloc(size)
	if err != nil {
		return nil, fmt.Errorf("codemem: getting %d bytes for machine code: %w", size, err)
	}
	for i := range mem.bytes {
		mem.bytes[i] = 0xCC // INT3: what runs off its end traps
	}
	for i, f := range functions {
		copy(mem.bytes[c.entries[i]:], f)
	}
	if err := sys.protect(mem); err != nil {
		err = fmt.Errorf("codemem: making %d bytes executable: %w", size, err)
		return nil, errors.Join(err, sys.free(mem))
	}
	live.Add(int64(len(mem.bytes)))
	c.mem = mem
	c.base.Store(uintptr(unsafe.Pointer(unsafe.SliceData(mem.bytes))))
	c.cleanup = runtime.AddCleanup(c, func(m mapping) {
		// Nobody is left to tell an error to; unmapping what was mapped has no reason to fail.
		_ = release(sys, m)
	}, mem)
	return c, nil
}

func release(sys system, m mapping) error {
	n := int64(len(m.bytes))
	if err := sys.free(m); err != nil {
		return fmt.Errorf("codemem: returning %d bytes of machine code: %w", n, err)
	}
	live.Add(-n)
	return nil
}

// Len is the number of functions.
func (c *Code) Len() int { return len(c.entries) }

// Func is the function with number i, which must be less than Len.
func (c *Code) Func(i int) Func { return Func{code: c, off: c.entries[i]} }

// Close returns the memory at once. No call may be running; later ones give ErrClosed. Closing again does
// nothing.
func (c *Code) Close() error {
	c.closing.Lock()
	defer c.closing.Unlock()
	if c.base.Swap(0) == 0 {
		return nil
	}
	c.cleanup.Stop()
	return release(c.sys, c.mem)
}

// Valid reports whether f is a function, closed or not.
func (f Func) Valid() bool { return f.code != nil }

// Call runs f with arg in RDI. What arg points to, and what is reached from there, must stay alive until Call
// returns; the pointer itself keeps only its own object. The error is ErrClosed, and nothing else.
func (f Func) Call(arg unsafe.Pointer) error {
	if f.code == nil {
		return ErrClosed
	}
	base := f.code.base.Load()
	if base == 0 {
		return ErrClosed
	}
	call(base+f.off, arg)
	runtime.KeepAlive(f.code)
	runtime.KeepAlive(arg)
	return nil
}

// live is how many bytes are mapped. The garbage collector does not count them.
var live atomic.Int64

// collectAt is how many may be before pace starts a collection.
var collectAt atomic.Int64

const minCollectAt = 64 << 20

// pace starts a garbage collection when much memory for code has been mapped since the last time, so that
// programs that are made and dropped without Close do not add up while the heap is too small to be collected.
func pace() {
	n, limit := live.Load(), collectAt.Load()
	if n <= max(limit, minCollectAt) {
		return
	}
	if collectAt.CompareAndSwap(limit, 2*n) {
		runtime.GC()
	}
}

// Mapped returns how many bytes of memory there are for code at present, in this process: what is closed or
// has been collected does not count.
func Mapped() int64 { return live.Load() }
