package readers

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// dotProduct is a dot product of integers that are widened before they are
// multiplied.
type dotProduct struct {
	t      isa.Type // of the result, and of what is multiplied and added
	signed [2]bool  // which factor has signed components
	x      [2][]*ssa.Value
	ct     [2]*build.Type // types of the components
	acc    []*ssa.Value
}

// integerDot makes the product; packed says that the factors are integers of
// 32 bits which hold four bytes each, the lowest first.
func integerDot(b *build.Builder, d dotProduct, packed bool) *ssa.Value {
	for i := range d.x {
		if d.ct[i].Kind != build.KindInt || packed && (len(d.x[i]) != 1 || d.ct[i].Bits != 32) {
			b.Fail("a factor of the dot product is not of a type that it can have")
		}
		from := wholeWidth(b, d.ct[i])
		if packed {
			bytes := make([]*ssa.Value, 4)
			for k := range bytes {
				bytes[k] = b.Resize(b.Bin(isa.OpShrU, isa.I32, d.x[i][0], b.Imm(isa.I32, uint64(8*k))), isa.I32, isa.I8)
			}
			d.x[i], from = bytes, isa.I8
		}
		if from.Bits() > d.t.Bits() {
			b.Fail("the result of the dot product is narrower than its factors")
		}
		if from == d.t {
			continue
		}
		op := isa.OpZExt
		if d.signed[i] {
			op = isa.OpSExt
		}
		wide := make([]*ssa.Value, len(d.x[i]))
		for k, v := range d.x[i] {
			wide[k] = b.Conv(op, d.t, from, v)
		}
		d.x[i] = wide
	}
	if len(d.x[0]) != len(d.x[1]) || d.acc != nil && len(d.acc) != 1 {
		b.Fail("the factors of the dot product have %d and %d components", len(d.x[0]), len(d.x[1]))
	}
	var sum *ssa.Value
	for k := range d.x[0] {
		p := b.Bin(isa.OpMul, d.t, d.x[0][k], d.x[1][k])
		if sum != nil {
			p = b.Bin(isa.OpAdd, d.t, sum, p)
		}
		sum = p
	}
	if d.acc == nil {
		return sum
	}
	op := isa.OpAddSatU
	if d.signed[0] || d.signed[1] {
		op = isa.OpAddSatS
	}
	return b.Bin(op, d.t, sum, d.acc[0])
}

// dotInst reads the dot products of integers (SPIR-V 3.49.13, OpSDot and those
// that follow it).
func dotInst(b *build.Builder, in spirv.Inst) {
	d := dotProduct{t: wholeWidth(b, b.Module.TypeOf(in.ResultType()))}
	ops := in.Operands()
	rest := ops[2:]
	switch in.Op() {
	case spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat:
		d.acc, _ = b.Vals(spirv.ID(ops[2]))
		rest = ops[3:]
	}
	switch in.Op() {
	case spirv.OpSDot, spirv.OpSDotAccSat:
		d.signed = [2]bool{true, true}
	case spirv.OpSUDot, spirv.OpSUDotAccSat:
		d.signed = [2]bool{true, false}
	}
	packed := false
	for i := range d.x {
		v, t := b.Vals(spirv.ID(ops[i]))
		d.x[i], d.ct[i] = v, t.Component()
		packed = t.Kind == build.KindInt
	}
	if packed && len(rest) == 0 {
		b.Fail("scalar factors have no packed vector format")
	}
	b.SetOne(in, integerDot(b, d, packed))
}
