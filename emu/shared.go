package emu

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lockstep-gpu/lockstep/isa"
)

// sharedKernel is a kernel for launches on a device that has, or had, shared virtual memory, made at the first of them: one
// in whose memory pointers are addresses of the host.
type sharedKernel struct {
	is   bool // the kernel that holds this is one itself
	mu   sync.Mutex
	made *Kernel
}

// onDevice returns the kernel as launches on its device run it now. The device must not be held.
func (k *Kernel) onDevice() (*Kernel, error) {
	if !k.stale() {
		return k, nil
	}
	s := &k.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		made, err := k.makeShared()
		if err != nil {
			return nil, err
		}
		s.made = made
	}
	return s.made, nil
}

// stale says whether launches on the kernel's device need another one: that for shared memory.
func (k *Kernel) stale() bool { return !k.shared.is && !k.isa.Physical32 && k.prog.dev.shares.Load() }

// acquireFor waits for the device's turn for launches that were prepared. Those that were prepared when there was no shared
// memory are prepared again, if there is some now. Without an error, release must follow.
func (d *Device) acquireFor(ctx context.Context, launches []*prepared) error {
	for {
		if err := d.acquire(ctx); err != nil {
			return err
		}
		if !slices.ContainsFunc(launches, func(p *prepared) bool { return p.Kernel.stale() }) {
			return nil
		}
		d.release()
		for i, p := range launches {
			again, err := p.Launch.prepare()
			if err != nil {
				return err
			}
			launches[i] = again
		}
	}
}

// makeShared lowers the kernel for shared memory, and places the variables that it has.
func (k *Kernel) makeShared() (*Kernel, error) {
	ctx := context.Background()
	code, err := k.prog.unit.sharedKernel(ctx, k.name)
	switch {
	case err != nil:
		return nil, err
	case code == nil:
		return nil, fmt.Errorf("kernel %s came as a binary without code for it: %w", k.name, ErrNotShared)
	case code.err != nil:
		return nil, code.refused(k.name)
	}
	if err := k.prog.placeAll(ctx); err != nil {
		return nil, err
	}
	if !converts(code.code) {
		// The code of other launches is the same, and may be compiled already. Only that for checks may differ.
		return &Kernel{prog: k.prog, isa: k.isa, code: k.code, name: k.name, made: k.made, shared: sharedKernel{is: true}}, nil
	}
	return &Kernel{prog: k.prog, isa: code.prog, code: code.code, name: k.name, made: k.prog.made.of(k.name + sharedSuffix), shared: sharedKernel{is: true}}, nil
}

// sharedSuffix tells the code of a kernel for shared memory from that of the same kernel without: names have no NUL.
const sharedSuffix = "\x00shared"

// converts says whether a kernel converts between pointers and addresses.
func converts(k *isa.Kernel) bool {
	for i := range k.Code {
		if op := k.Code[i].Op; op == isa.OpPtrAddress || op == isa.OpPtrAt {
			return true
		}
	}
	return false
}
