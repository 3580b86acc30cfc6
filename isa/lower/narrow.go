package lower

import "github.com/lockstep-gpu/lockstep/isa"

// narrow rewrites the ways in which 64-bit arithmetic says "the low 32 bits":
// masks and pairs of shifts become extensions, which accesses take in as
// 32-bit indices and which vanish over values that are narrow already.
func narrow(b *builder) {
	f := b.f
	for _, blk := range f.blocks {
		insts := make([]*value, 0, len(blk.insts)+4)
		for _, v := range blk.insts {
			if x, op := lowHalf(v); x != nil {
				t := f.newValue(isa.OpTruncate, isa.I32, isa.I64, x)
				t.loc = v.loc
				if s := f.simplify(t); s != nil {
					t = s
				} else {
					t.blk = blk
					insts = append(insts, t)
				}
				v.op, v.elem, v.args = op, isa.I32, []*value{t}
			}
			insts = append(insts, v)
		}
		blk.insts = insts
	}
}

// lowHalf returns x when v is x's low half, zero- or sign-extended.
func lowHalf(v *value) (x *value, op isa.Op) {
	if v.typ != isa.I64 || len(v.args) != 2 || !v.args[1].isConst() {
		return nil, 0
	}
	x, c := v.args[0], v.args[1].imm
	switch {
	case v.op == isa.OpAnd && c == 1<<32-1:
		return x, isa.OpZExt
	case (v.op == isa.OpShrS || v.op == isa.OpShrU) && c == 32 && x.op == isa.OpShl && x.args[1].isConst() && x.args[1].imm == 32:
		if v.op == isa.OpShrS {
			return x.args[0], isa.OpSExt
		}
		return x.args[0], isa.OpZExt
	}
	return nil, 0
}
