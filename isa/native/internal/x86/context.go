package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/vm"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Context is what the compilers of all runs of a kernel share.
type Context struct {
	*vm.Func
	CPU       amd64.Features
	Constants map[int]uint64 // scalars that are the same in all launches
	layout    *wave.Layout
	find      func(amd64.Features, *isa.Inst) Emitter
	Callouts  []Callout
	Save      amd64.Label // where registers are put away for a callout
}

// Callout is something that machine code leaves to Go: a function for the few lanes whose result it cannot
// tell. The code puts its registers away and returns; Go reads the operands there, writes results, and calls
// the code again, which goes on where it was.
type Callout struct {
	F        func(x, y, z float32) float32
	F64      func(x, y, z float64) float64 // instead of F, where it is one of doubles
	Operands [3]amd64.Vec
	Result   amd64.Vec
	Lanes    amd64.Operand // a mask register, or a vector with ones in the lanes
}

// CallOut leaves lanes, if any of them run, to Go. The
// registers of operands and of the result are not to be the same.
func (c *Compiler) CallOut(o Callout) {
	k := c.Context
	enter, resume, goOn := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.ISA.jumpIfAny(c, o.Lanes, enter)
	n := len(k.Callouts)
	k.Callouts = append(k.Callouts, o)
	c.Later(func() {
		c.Bind(enter)
		c.ISA.runningOnly(c, o.Lanes)
		c.G(amd64.MOV, amd64.B64, Field(wave.FrameCall), amd64.Imm(n+1))
		c.G(amd64.LEA, amd64.B64, RegTemp, c.At(resume))
		o := &k.Callouts[n]
		c.Watch(resume, func(r []amd64.Operand) {
			o.Result, o.Lanes = r[0].(amd64.Vec), r[1]
			for i := range o.Operands {
				o.Operands[i] = r[2+i].(amd64.Vec)
			}
		}, o.Result, o.Lanes, o.Operands[0], o.Operands[1], o.Operands[2])
		c.Jmp(k.Save)
		c.Bind(resume)
		c.Jmp(goOn)
	})
	c.Bind(goOn)
}

// OffsetOf makes a pointer in a register its offset, and goes to far if that is [memory.FarOffset], from
// which nothing leads back.
func (k *Context) OffsetOf(r amd64.Reg, far amd64.Label) {
	k.G(amd64.SHL, amd64.B64, r, amd64.Imm(64-OffsetBits))
	k.G(amd64.CMP, amd64.B64, r, amd64.Imm(1))
	k.Jcc(amd64.Overflow, far) // only the least number less 1 is none
	k.G(amd64.SAR, amd64.B64, r, amd64.Imm(64-OffsetBits))
}

// NewContext returns what the runs of a kernel share, whose machine form will have about length instructions.
func NewContext(f amd64.Features, constants map[int]uint64, layout *wave.Layout, length int,
	find func(amd64.Features, *isa.Inst) Emitter) Context {
	return Context{Func: vm.New(amd64.New(f), targetOf(f), length), CPU: f, Constants: constants, layout: layout, find: find}
}

// Emitter emits the machine code of an instruction for a group of lanes.
type Emitter func(c *Compiler, in *isa.Inst)

// Family returns the emitter of an instruction, or nil if the instruction is none of the family's or the
// processor cannot do it.
type Family func(f amd64.Features, in *isa.Inst) Emitter
