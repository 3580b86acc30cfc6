package native

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// callout is something that machine code leaves to Go: a function of F32 for the few lanes whose result it cannot
// tell. The code puts its registers away and returns; Go reads the operands there, writes results, and calls the
// code again, which goes on where it was.
type callout struct {
	f           func(x, y, z float32) float32
	operands    [3]amd64.Vec
	result      amd64.Vec
	lanes       amd64.Mask
	enter, goOn amd64.Label
}

// do computes the results.
func (o *callout) do(f *interp.Frame) {
	r := (*interp.Registers)(f.Saved)
	vec := func(x amd64.Vec) *[16]float32 { return (*[16]float32)(unsafe.Pointer(&r.Vectors[x])) }
	x, y, z, d := vec(o.operands[0]), vec(o.operands[1]), vec(o.operands[2]), vec(o.result)
	for m := uint16(r.Masks[o.lanes]); m != 0; m &= m - 1 {
		i := bits.TrailingZeros16(m)
		d[i] = o.f(x[i], y[i], z[i])
	}
}

// savedRegisters are the general registers that a callout keeps. regTemp is lost.
var savedRegisters = [...]amd64.Reg{amd64.RBX, amd64.RCX, amd64.RDX, amd64.RSI, amd64.R8, amd64.R9, amd64.R10, amd64.R11, amd64.R12,
	amd64.R13, amd64.R14, amd64.R15}

// inFrame is a field of the frame.
func inFrame(off uintptr) amd64.Mem { return amd64.Mem{Base: regFrame, Disp: int32(off)} }

// resumable begins a function: where it may have callouts, it goes on behind the last.
func (c *compiler) resumable() {
	for i := range c.run.Code {
		switch c.run.Code[i].Op {
		case isa.OpMath1, isa.OpMath2, isa.OpMath3:
			c.mayCallOut = true
		}
	}
	if !c.mayCallOut {
		return
	}
	c.resume = c.NewLabel()
	c.G(amd64.CMP, amd64.B64, inFrame(interp.FrameResume), amd64.Imm(0))
	c.Jcc(amd64.NotEqual, c.resume)
}

// callOut leaves the lanes of mask register k, where it has any that run, to Go. The
// registers of operands and of the result are not to be the same.
func (c *compiler) callOut(o callout) {
	o.enter, o.goOn = c.NewLabel(), c.NewLabel()
	c.V(amd64.KTESTW, amd64.X, o.lanes, maskExec)
	c.Jcc(amd64.NotEqual, o.enter)
	c.Bind(o.goOn)
	c.callouts = append(c.callouts, o)
}

// endCallouts emits what callouts need behind the function.
func (c *compiler) endCallouts() {
	if !c.mayCallOut {
		return
	}
	save := c.NewLabel()
	for i, o := range c.callouts {
		c.Bind(o.enter)
		c.V(amd64.KANDW, amd64.X, o.lanes, o.lanes, maskExec)
		c.G(amd64.MOV, amd64.B64, inFrame(interp.FrameCall), amd64.Imm(i+1))
		c.G(amd64.LEA, amd64.B64, regTemp, c.At(o.goOn))
		c.Jmp(save)
	}
	c.Bind(save)
	c.G(amd64.MOV, amd64.B64, inFrame(interp.FrameResume), regTemp)
	c.everyRegister(true)
	c.G(amd64.RET, amd64.B64)
	c.Bind(c.resume)
	c.everyRegister(false)
	c.G(amd64.MOV, amd64.B64, regTemp, inFrame(interp.FrameResume))
	c.G(amd64.MOV, amd64.B64, inFrame(interp.FrameResume), amd64.Imm(0))
	c.G(amd64.MOV, amd64.B64, inFrame(interp.FrameCall), amd64.Imm(0))
	c.G(amd64.JMPR, amd64.B64, regTemp)
}

// everyRegister puts all registers away, or gets them back.
func (c *compiler) everyRegister(save bool) {
	c.G(amd64.MOV, amd64.B64, regTemp, inFrame(interp.FrameSaved))
	move := func(v bool, op amd64.Op, off uintptr, size, n int, reg amd64.Operand) {
		m := amd64.Mem{Base: regTemp, Disp: int32(off) + int32(n*size)}
		a, b := amd64.Operand(m), reg
		if !save {
			a, b = b, a
		}
		if v {
			w := amd64.X
			if size == 64 {
				w = amd64.Z
			}
			c.V(op, w, a, b)
			return
		}
		c.G(amd64.MOV, amd64.B64, a, b)
	}
	for i := range 32 {
		move(true, amd64.VMOVDQU64, interp.RegistersVectors, 64, i, amd64.Vec(i))
	}
	for i := range 8 {
		move(true, amd64.KMOVQ, interp.RegistersMasks, 8, i, amd64.Mask(i))
	}
	for i, r := range savedRegisters {
		move(false, 0, interp.RegistersGeneral, 8, i, r)
	}
}
