package native

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// do computes the results.
func (o *callout) do(f *wave.Frame) {
	r := (*wave.Registers)(f.Saved)
	if o.f64 != nil {
		o.do64(r)
		return
	}
	vec := func(x amd64.Vec) *[16]float32 { return (*[16]float32)(unsafe.Pointer(&r.Vectors[x])) }
	x, y, z, d := vec(o.operands[0]), vec(o.operands[1]), vec(o.operands[2]), vec(o.result)
	for m := flagged(r, o.lanes); m != 0; m &= m - 1 {
		i := bits.TrailingZeros16(m)
		d[i] = o.f(x[i], y[i], z[i])
	}
}

func (o *callout) do64(r *wave.Registers) {
	vec := func(x amd64.Vec) *[8]float64 { return (*[8]float64)(unsafe.Pointer(&r.Vectors[x])) }
	x, y, z, d := vec(o.operands[0]), vec(o.operands[1]), vec(o.operands[2]), vec(o.result)
	for m := uint8(flagged(r, o.lanes)); m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		d[i] = o.f64(x[i], y[i], z[i])
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

// savedRegisters are the general registers that a callout keeps. regTemp is lost.
var savedRegisters = [...]amd64.Reg{amd64.RBX, amd64.RCX, amd64.RDX, amd64.RSI, amd64.R8, amd64.R9, amd64.R10, amd64.R11, amd64.R12,
	amd64.R13, amd64.R14, amd64.R15}

// mayCallOut says whether runs of the kernel may have callouts.
func (k *builder) mayCallOut() bool {
	for i := range k.plan.Kernel.Code {
		switch in := &k.plan.Kernel.Code[i]; in.Op {
		case isa.OpMath1, isa.OpMath2, isa.OpMath3:
			if find(k.features, in) != nil {
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
	k.resume, k.save = k.NewLabel(), k.NewLabel()
	k.G(amd64.CMP, amd64.B64, field(wave.FrameResume), amd64.Imm(0))
	k.Jcc(amd64.NotEqual, k.resume)
}

// endCallouts emits what callouts need behind the function.
func (k *builder) endCallouts() {
	if !k.mayCallOut() {
		return
	}
	k.Bind(k.save)
	k.G(amd64.MOV, amd64.B64, field(wave.FrameResume), regTemp)
	k.everyRegister(true)
	k.G(amd64.RET, amd64.B64)
	k.Bind(k.resume)
	k.everyRegister(false)
	k.G(amd64.MOV, amd64.B64, regTemp, field(wave.FrameResume))
	k.G(amd64.MOV, amd64.B64, field(wave.FrameResume), amd64.Imm(0))
	k.G(amd64.MOV, amd64.B64, field(wave.FrameCall), amd64.Imm(0))
	k.G(amd64.JMPR, amd64.B64, regTemp)
}

// everyRegister puts all registers away, or gets them back.
func (k *builder) everyRegister(save bool) {
	vectors, masks, width := setOf(k.features).every()
	k.G(amd64.MOV, amd64.B64, regTemp, field(wave.FrameSaved))
	move := func(v bool, op amd64.Op, off uintptr, size, n int, reg amd64.Operand) {
		m := amd64.Mem{Base: regTemp, Disp: int32(off) + int32(n*size)}
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
