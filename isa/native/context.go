package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/vm"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// kernelContext is what the compilers of all runs of a kernel share.
type kernelContext struct {
	*vm.Func
	features  amd64.Features
	constants map[int]uint64 // scalars that are the same in all launches
	layout    *wave.Layout
	find      func(amd64.Features, *isa.Inst) emitter
	callouts  []callout
	save      amd64.Label // where registers are put away for a callout
}

// callout is something that machine code leaves to Go: a function for the few lanes whose result it cannot
// tell. The code puts its registers away and returns; Go reads the operands there, writes results, and calls
// the code again, which goes on where it was.
type callout struct {
	f        func(x, y, z float32) float32
	f64      func(x, y, z float64) float64 // instead of f, where it is one of doubles
	operands [3]amd64.Vec
	result   amd64.Vec
	lanes    amd64.Operand // a mask register, or a vector with ones in the lanes
}

// callOut leaves lanes, if any of them run, to Go. The
// registers of operands and of the result are not to be the same.
func (c *compiler) callOut(o callout) {
	k := c.kernelContext
	enter, resume, goOn := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.set.jumpIfAny(c, o.lanes, enter)
	n := len(k.callouts)
	k.callouts = append(k.callouts, o)
	c.Later(func() {
		c.Bind(enter)
		c.set.runningOnly(c, o.lanes)
		c.G(amd64.MOV, amd64.B64, field(wave.FrameCall), amd64.Imm(n+1))
		c.G(amd64.LEA, amd64.B64, regTemp, c.At(resume))
		o := &k.callouts[n]
		c.Watch(resume, func(r []amd64.Operand) {
			o.result, o.lanes = r[0].(amd64.Vec), r[1]
			for i := range o.operands {
				o.operands[i] = r[2+i].(amd64.Vec)
			}
		}, o.result, o.lanes, o.operands[0], o.operands[1], o.operands[2])
		c.Jmp(k.save)
		c.Bind(resume)
		c.Jmp(goOn)
	})
	c.Bind(goOn)
}

// offsetOf makes a pointer in a register its offset, and goes to far if that is [memory.FarOffset], from
// which nothing leads back.
func (k *kernelContext) offsetOf(r amd64.Reg, far amd64.Label) {
	k.G(amd64.SHL, amd64.B64, r, amd64.Imm(64-offsetBits))
	k.G(amd64.CMP, amd64.B64, r, amd64.Imm(1))
	k.Jcc(amd64.Overflow, far) // only the least number less 1 is none
	k.G(amd64.SAR, amd64.B64, r, amd64.Imm(64-offsetBits))
}

// newContext returns what the runs of a kernel share, whose machine form will have about length instructions.
func newContext(f amd64.Features, constants map[int]uint64, layout *wave.Layout, length int,
	find func(amd64.Features, *isa.Inst) emitter) kernelContext {
	return kernelContext{Func: vm.New(amd64.New(f), targetOf(f), length), features: f, constants: constants, layout: layout, find: find}
}

// emitter emits the machine code of an instruction for a group of lanes.
type emitter func(c *compiler, in *isa.Inst)

// family returns the emitter of an instruction, or nil if the instruction is none of the family's or the
// processor cannot do it.
type family func(f amd64.Features, in *isa.Inst) emitter
