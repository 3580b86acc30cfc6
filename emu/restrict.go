package emu

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory/race"
)

// restricts prepares a launch with checks for kernels with parameters that are restrict: those that lead to memory
// of another one are followed, where one of the two is restrict. Work-groups run one after the other then, as for data races. The device is held.
func (p *prepared) restricts() {
	k := p.launch.Kernel
	params := make([]race.RestrictParam, len(p.args))
	for i := range p.args {
		if b := p.args[i].buffer; p.args[i].isPointer() && b != nil && len(b.data) > 0 {
			params[i] = race.RestrictParam{
				Restrict: k.Params[i].Restrict, Size: uint64(len(b.data)),
				Place: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b.data)))),
			}
		}
	}
	for i := range params {
		for j := range params {
			x, y := &params[i], &params[j]
			if i != j && (x.Restrict || y.Restrict) && x.Place < y.Place+y.Size && y.Place < x.Place+x.Size {
				x.Follow = true
			}
		}
	}
	p.launch.Restricts = race.NewRestricts(params)
}

// partialRestricts says what the check of restrict had no room for.
func (p *prepared) partialRestricts() []finding.Partial {
	if !p.launch.Restricts.Forgot() {
		return nil
	}
	return []finding.Partial{{Code: finding.Restrict, Reason: "a launch accessed more bytes through pointers to the same memory than are remembered"}}
}
