package mux

import (
	"errors"
	"fmt"
	"sync"
)

// Allocator is asked before a compiler keeps something: the words of a module, bytecode,
// a binary, an object (mux_allocator_info_t). It hands out no memory, which is the
// garbage collector's, but keeps account of it and can say no. It is called by several
// goroutines.
type Allocator interface {
	// Allocate takes note of size bytes that are kept from now on. Its error becomes
	// part of the error of the call, which wraps [ErrOutOfMemory].
	Allocate(size uint64) error
	// Free takes note that size bytes are not kept any more.
	Free(size uint64)
}

// Account is an [Allocator] with a limit. The zero value has no room.
type Account struct {
	mu         sync.Mutex
	limit      uint64
	used, peak uint64
}

// NewAccount returns an account of limit bytes.
func NewAccount(limit uint64) *Account { return &Account{limit: limit} }

// Allocate implements [Allocator]. The error wraps [ErrOutOfMemory].
func (a *Account) Allocate(size uint64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if size > a.limit || a.used > a.limit-size {
		return fmt.Errorf("%d bytes asked for, %d of %d are taken: %w", size, a.used, a.limit, ErrOutOfMemory)
	}
	a.used += size
	a.peak = max(a.peak, a.used)
	return nil
}

// Free implements [Allocator].
func (a *Account) Free(size uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used -= min(size, a.used)
}

// Used returns the bytes that are taken now.
func (a *Account) Used() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used
}

// Peak returns the most that were ever taken.
func (a *Account) Peak() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.peak
}

// SetLimit changes the limit. What is taken stays so.
func (a *Account) SetLimit(limit uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.limit = limit
}

// objectBytes is what a target, a module or a kernel counts for by itself.
const objectBytes = 256

// holding is what one object has taken from an allocator.
type holding struct {
	from  Allocator // nil: nobody keeps account
	bytes uint64
}

// take asks for size more bytes. The error wraps ErrOutOfMemory.
func (h *holding) take(size uint64) error {
	if h.from == nil {
		return nil
	}
	if err := h.from.Allocate(size); err != nil {
		if !errors.Is(err, ErrOutOfMemory) {
			err = within(ErrOutOfMemory, err)
		}
		return err
	}
	h.bytes += size
	return nil
}

// drop gives everything back.
func (h *holding) drop() {
	if h.from != nil && h.bytes > 0 {
		h.from.Free(h.bytes)
	}
	h.bytes = 0
}

// back gives size bytes back.
func (h *holding) back(size uint64) {
	size = min(size, h.bytes)
	if h.from != nil && size > 0 {
		h.from.Free(size)
	}
	h.bytes -= size
}
