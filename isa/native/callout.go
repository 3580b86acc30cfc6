package native

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/emitters"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// do computes the results.
func do(o *x86.Callout, f *wave.Frame) {
	r := (*wave.Registers)(f.Saved)
	if o.F64 != nil {
		do64(o, r)
		return
	}
	vec := func(x amd64.Vec) *[16]float32 { return (*[16]float32)(unsafe.Pointer(&r.Vectors[x])) }
	x, y, z, d := vec(o.Operands[0]), vec(o.Operands[1]), vec(o.Operands[2]), vec(o.Result)
	for m := flagged(r, o.Lanes); m != 0; m &= m - 1 {
		i := bits.TrailingZeros16(m)
		d[i] = o.F(x[i], y[i], z[i])
	}
}

func do64(o *x86.Callout, r *wave.Registers) {
	vec := func(x amd64.Vec) *[8]float64 { return (*[8]float64)(unsafe.Pointer(&r.Vectors[x])) }
	x, y, z, d := vec(o.Operands[0]), vec(o.Operands[1]), vec(o.Operands[2]), vec(o.Result)
	for m := uint8(flagged(r, o.Lanes)); m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		d[i] = o.F64(x[i], y[i], z[i])
	}
}

// flagged returns the lanes that a register has.
func flagged(r *wave.Registers, lanes amd64.Operand) (m uint16) {
	if k, ok := lanes.(amd64.Mask); ok {
		return uint16(r.Masks[k])
	}
	for i, v := range (*[8]uint32)(unsafe.Pointer(&r.Vectors[lanes.(amd64.Vec)])) {
		m |= uint16(v>>31) << i
	}
	return m
}

// savedRegisters are the general registers that a callout keeps. RegTemp is lost.
var savedRegisters = [...]amd64.Reg{amd64.RBX, amd64.RCX, amd64.RDX, amd64.RSI, amd64.R8, amd64.R9, amd64.R10, amd64.R11, amd64.R12,
	amd64.R13, amd64.R14, amd64.R15}

// mayCallOut says whether runs of the kernel may have callouts.
func (k *builder) mayCallOut() bool {
	for i := range k.plan.Kernel.Code {
		switch in := &k.plan.Kernel.Code[i]; in.Op {
		case isa.OpMath1, isa.OpMath2, isa.OpMath3:
			if emitters.Find(k.CPU, in) != nil {
				return true
			}
		}
	}
	return false
}

// resumable begins a function: where it may have callouts, it goes on behind the last.
func (k *builder) resumable() {
	if !k.mayCallOut() {
		return
	}
	k.resume, k.Save = k.NewLabel(), k.NewLabel()
	k.G(amd64.CMP, amd64.B64, x86.Field(wave.FrameResume), amd64.Imm(0))
	k.Jcc(amd64.NotEqual, k.resume)
}

// endCallouts emits what callouts need behind the function.
func (k *builder) endCallouts() {
	if !k.mayCallOut() {
		return
	}
	k.Bind(k.Save)
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameResume), x86.RegTemp)
	k.everyRegister(true)
	k.G(amd64.RET, amd64.B64)
	k.Bind(k.resume)
	k.everyRegister(false)
	k.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Field(wave.FrameResume))
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameResume), amd64.Imm(0))
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameCall), amd64.Imm(0))
	k.G(amd64.JMPR, amd64.B64, x86.RegTemp)
}

// everyRegister puts all registers away, or gets them back.
func (k *builder) everyRegister(save bool) {
	vectors, masks, width := x86.SetOf(k.CPU).Every()
	k.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Field(wave.FrameSaved))
	move := func(v bool, op amd64.Op, off uintptr, size, n int, reg amd64.Operand) {
		m := amd64.Mem{Base: x86.RegTemp, Disp: int32(off) + int32(n*size)}
		a, b := amd64.Operand(m), reg
		if !save {
			a, b = b, a
		}
		if v {
			k.V(op, width, a, b)
			return
		}
		k.G(amd64.MOV, amd64.B64, a, b)
	}
	for i := range vectors {
		move(true, amd64.VMOVDQU64, wave.RegistersVectors, 64, i, amd64.Vec(i))
	}
	for i := range masks {
		width = amd64.X
		move(true, amd64.KMOVQ, wave.RegistersMasks, 8, i, amd64.Mask(i))
	}
	for i, r := range savedRegisters {
		move(false, 0, wave.RegistersGeneral, 8, i, r)
	}
}
