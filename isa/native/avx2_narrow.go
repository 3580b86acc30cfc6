package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// narrow2 is [narrowArithmetic] for AVX2.
func narrow2(_ amd64.Features, in *isa.Inst) emitter { return findNarrow(narrowEmitters2, in) }

// narrowEmitters2 is what [narrow2] returns besides [narrowShared], by opcode.
var narrowEmitters2 = map[isa.Op]emitter{
	isa.OpSelect:   (*compiler).selection2,
	isa.OpCopySign: (*compiler).halfCopySign2,

	isa.OpMul: as(viewCut, integer(opMul, true)),
	isa.OpNot: as(viewCut, (*compiler).not2),

	isa.OpAddSatS:  as(viewUpper, (*compiler).addSatS2),
	isa.OpAddSatU:  as(viewUpper, (*compiler).addSatU2),
	isa.OpSubSatS:  as(viewUpper, (*compiler).subSatS2),
	isa.OpClz:      (*compiler).narrowClz2,
	isa.OpCtz:      (*compiler).narrowCtz2,
	isa.OpPopCount: (*compiler).popCount2,

	isa.OpBitInsert: as(viewCut, (*compiler).bitInsert2),

	// Zero-extended numbers compare like signed ones.
	isa.OpEq:  compare2(opEqual2, false, false),
	isa.OpNe:  compare2(opEqual2, false, true),
	isa.OpLtS: as(viewUpper, compare2(opMore2, true, false)),
	isa.OpLeS: as(viewUpper, compare2(opMore2, false, true)),
	isa.OpLtU: compare2(opMore2, true, false),
	isa.OpLeU: compare2(opMore2, false, true),
}

// narrowClz2 leaves out the zeros above the number.
func (c *compiler) narrowClz2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, true)
	d := c.vec()
	c.leadingZeros(isa.I32, d, a)
	c.V(amd64.VPSUBD, w, d, d, c.Splat32(w, uint32(32-t.Bits())))
	c.result(in, t, d)
}

// narrowCtz2 finds the one above the number if there is none in it.
func (c *compiler) narrowCtz2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, true)
	d, x := c.vec(), c.vec()
	c.V(amd64.VPORD, w, x, a, c.Splat32(w, 1<<t.Bits()))
	c.V(amd64.VPADDD, w, d, x, c.Splat32(w, 1<<32-1))
	c.V(amd64.VPANDND, w, d, x, d)
	c.ones(isa.I32, d, x)
	c.result(in, t, d)
}

// halfCopySign2 takes the sign of the second half.
func (c *compiler) halfCopySign2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d := c.vec()
	c.V(amd64.VPANDD, w, vecTemp, a, c.Splat32(w, 1<<15-1))
	c.V(amd64.VPANDD, w, d, b, c.Splat32(w, 1<<15))
	c.V(amd64.VPORD, w, d, d, vecTemp)
	c.result(in, t, d)
}
