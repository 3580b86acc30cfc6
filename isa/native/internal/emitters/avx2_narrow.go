package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// narrow2 is [narrowArithmetic] for AVX2.
func narrow2(_ amd64.Features, in *isa.Inst) x86.Emitter { return findNarrow(narrowEmitters2, in) }

// narrowEmitters2 is what [narrow2] returns besides [narrowShared], by opcode.
var narrowEmitters2 = map[isa.Op]x86.Emitter{
	isa.OpSelect:   selection2,
	isa.OpCopySign: halfCopySign2,

	isa.OpMul: as(x86.ViewCut, integer(x86.OpMul, true)),
	isa.OpNot: as(x86.ViewCut, not2),

	isa.OpAddSatS:  as(x86.ViewUpper, addSatS2),
	isa.OpAddSatU:  as(x86.ViewUpper, addSatU2),
	isa.OpSubSatS:  as(x86.ViewUpper, subSatS2),
	isa.OpClz:      narrowClz2,
	isa.OpCtz:      narrowCtz2,
	isa.OpPopCount: popCount2,

	isa.OpBitInsert: as(x86.ViewCut, bitInsert2),

	// Zero-extended numbers compare like signed ones.
	isa.OpEq:  compare2(x86.OpEqual2, false, false),
	isa.OpNe:  compare2(x86.OpEqual2, false, true),
	isa.OpLtS: as(x86.ViewUpper, compare2(x86.OpMore2, true, false)),
	isa.OpLeS: as(x86.ViewUpper, compare2(x86.OpMore2, false, true)),
	isa.OpLtU: compare2(x86.OpMore2, true, false),
	isa.OpLeU: compare2(x86.OpMore2, false, true),
}

// narrowClz2 leaves out the zeros above the number.
func narrowClz2(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a := c.Load(in.A, t, true)
	d := c.Vec()
	leadingZeros(c, isa.I32, d, a)
	c.V(amd64.VPSUBD, w, d, d, c.Splat32(w, uint32(32-t.Bits())))
	c.Result(in, t, d)
}

// narrowCtz2 finds the one above the number if there is none in it.
func narrowCtz2(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a := c.Load(in.A, t, true)
	d, x := c.Vec(), c.Vec()
	c.V(amd64.VPORD, w, x, a, c.Splat32(w, 1<<t.Bits()))
	c.V(amd64.VPADDD, w, d, x, c.Splat32(w, 1<<32-1))
	c.V(amd64.VPANDND, w, d, x, d)
	ones(c, isa.I32, d, x)
	c.Result(in, t, d)
}

// halfCopySign2 takes the sign of the second half.
func halfCopySign2(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
	d := c.Vec()
	c.V(amd64.VPANDD, w, x86.VecTemp, a, c.Splat32(w, 1<<15-1))
	c.V(amd64.VPANDD, w, d, b, c.Splat32(w, 1<<15))
	c.V(amd64.VPORD, w, d, d, x86.VecTemp)
	c.Result(in, t, d)
}
