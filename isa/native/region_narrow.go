package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// A region with loads computes in 32 bits what the kernel computes in 64, if that is nothing but indices and
// what they are compared with (plan.NarrowedLoop): a group then has twice as many lanes. Registers of 64 bits
// that hold values from trip to trip have their lower halves in the homes. Where a number turns out to have
// more than 31 bits all is undone, as it is for a load that is not allowed.

// mostSmall is the greatest number that a half may have.
const mostSmall = 1<<31 - 1

// narrow has the region compute in 32 bits, if it can.
func (r *region) narrow() {
	var parts []*plan.Part
	r.parts(func(_ int, p *plan.Part, _ int) { parts = append(parts, p) })
	var exits []int
	for _, t := range r.exits() {
		if t >= 0 {
			exits = append(exits, t)
		}
	}
	if r.narrowed = r.kernel.plan.NarrowLoop(parts, exits); r.narrowed != nil {
		r.Run.Code = r.narrowed.Code
	}
}

// title says what kind of region it is, for listings.
func (r *region) title() string {
	if r.narrowed != nil {
		return "loop region in 32 bits"
	}
	return "loop region"
}

// halfOf returns the register of 64 bits that a place has the lower half of, or nil.
func (r *region) halfOf(p x86.Place) *plan.Narrowed {
	if r.narrowed == nil || p.Bank != isa.Bank32 {
		return nil
	}
	for i := range r.narrowed.Halves {
		if h := &r.narrowed.Halves[i]; h.Half.Index() == p.Index {
			return h
		}
	}
	return nil
}

// checkSmall goes to l if a scalar is not less than 2³¹.
func (r *region) checkSmall(x isa.Reg, l amd64.Label) {
	r.kernel.G(amd64.CMP, amd64.B64, x86.Scalar(x), amd64.Imm(mostSmall))
	r.kernel.Jcc(amd64.Above, l)
}

// checkScalars goes to l if a scalar is not less than 2³¹ that has to be where the loop is entered.
func (r *region) checkScalars(l amd64.Label) {
	if r.narrowed == nil {
		return
	}
	for _, x := range r.narrowed.Entry {
		r.checkSmall(x, l)
	}
}

// checkCarried refuses the region if what a trip leaves to the next is not less than 2³¹ in a lane that runs.
func (r *region) checkCarried() {
	if r.narrowed == nil {
		return
	}
	for i, h := range r.narrowed.Halves {
		if !r.narrowed.Carried[i] {
			continue
		}
		for _, g := range r.groups {
			r.Across.Group = g
			r.Masked()
			r.ISA.Beyond(r.Compiler, isa.I32, r.Compiler.Load(h.Half, isa.I32, true), r.Splat(isa.I32, mostSmall, mostSmall), r.Refuse)
		}
	}
}

// wideHome is where half of a group's elements of 64 bits are in the register file.
func (r *region) wideHome(h *resident, half int) amd64.Mem {
	v := &x86.Value{Place: x86.Place{Bank: isa.Bank64, Group: r.Across.Group}, Off: r.Run.Offset(h.half.Wide, isa.I64)}
	return r.Memory(v).Plus(int32(r.ISA.Bits() / 8 * half))
}

// halveHome makes the lower halves of a register of 64 bits in a home, and refuses the region if a lane that
// runs has 2³¹ or more there.
func (r *region) halveHome(h *resident, d amd64.Vec) {
	r.Masked()
	r.ISA.Halve(r.Compiler, d, r.Vec(), r.wideHome(h, 0), r.wideHome(h, 1), r.Refuse)
}

// widenHome puts what a home has into the register file, for the lanes of the group that run.
func (r *region) widenHome(h *resident, x amd64.Vec) {
	d := r.Vec()
	r.Masked()
	for half := range 2 {
		r.ISA.StoreHalf(r.Compiler, r.wideHome(h, half), d, x, half, false)
	}
}
