package emu

import (
	"context"
	"fmt"
	"slices"
)

// This file lets the host allocate, and access buffers, beside a launch that does not use them. Nothing that the host does so can change
// what the launch leaves. A launch that follows all memory, as those with checks do, runs alone.

// enter is acquire for what may be done beside a launch: it does not wait for one. Without an error, release must follow.
func (d *Device) enter() error {
	if d == nil || d.turn == nil {
		return fmt.Errorf("device: %w", ErrInvalid)
	}
	d.mu.Lock()
	if d.closed {
		d.release()
		return fmt.Errorf("device: %w", ErrClosed)
	}
	return nil
}

// release ends what acquire or enter began.
func (d *Device) release() {
	held := d.held
	d.held = false
	d.mu.Unlock()
	if held {
		<-d.turn
	}
}

// wait makes enter an acquire: no launch runs when it returns. After an error, release must not follow.
func (d *Device) wait() error {
	if d.held {
		return nil
	}
	d.release()
	return d.acquire(context.Background())
}

// beside calls f, which runs the launches, and lets the host do things meanwhile. The device is held.
func (d *Device) beside(launches []*prepared, f func()) {
	if d.reference != nil || d.shares.Load() || slices.ContainsFunc(launches, (*prepared).alone) {
		f()
		return
	}
	use(launches, 1)
	d.running, d.held = true, false
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.running, d.held = false, true
		d.kept = nil
		use(launches, -1)
	}()
	f()
}

// alone says whether the host must stay away while the launch runs: something looks at all memory, or at buffers as the host has them.
func (p *prepared) alone() bool {
	return p.Check || p.Trace != nil || p.Memory != MemorySequential || p.Interleave != nil || p.Accesses != nil || p.Prints != nil || p.Look != nil
}

// use adds n to the number of arguments that each buffer of the launches is.
func use(launches []*prepared, n int) {
	for _, p := range launches {
		for i := range p.args {
			b := p.args[i].buffer
			if im := p.args[i].image; im != nil {
				b = im.buffer()
			}
			if b != nil {
				b.root().users += n
			}
		}
	}
}

// root is the buffer that has the bytes of b: b itself, unless it is a sub-buffer.
func (b *Buffer) root() *Buffer {
	if b.parent != nil {
		return b.parent
	}
	return b
}
