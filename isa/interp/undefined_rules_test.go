package interp

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// ruleOps are the operations whose rules are compared with the truth. inexact is the share of results, of 100, in which
// a rule may have more undefined bits than there are; 0 is for rules that are exact.
var ruleOps = []struct {
	op      isa.Op
	n       int // operands
	inexact int
}{
	{isa.OpMov, 1, 0}, {isa.OpNot, 1, 0}, {isa.OpAnd, 2, 0}, {isa.OpOr, 2, 0}, {isa.OpXor, 2, 0}, {isa.OpSelect, 3, 0},
	{isa.OpAdd, 2, 0}, {isa.OpSub, 2, 0}, {isa.OpNeg, 1, 0}, {isa.OpAbs, 1, 30}, {isa.OpMul, 2, 75}, {isa.OpMad, 3, 75},
	{isa.OpShl, 2, 0}, {isa.OpShrU, 2, 0}, {isa.OpShrS, 2, 0}, {isa.OpRotl, 2, 0},
	{isa.OpMinS, 2, 35}, {isa.OpMaxS, 2, 35}, {isa.OpMinU, 2, 35}, {isa.OpMaxU, 2, 35},
	{isa.OpDivU, 2, 50}, {isa.OpRemU, 2, 90},
	{isa.OpClz, 1, 0}, {isa.OpCtz, 1, 0}, {isa.OpPopCount, 1, 5}, {isa.OpBitReverse, 1, 0},
	{isa.OpBitInsert, 4, 95}, {isa.OpBitExtractS, 3, 95}, {isa.OpBitExtractU, 3, 95},
	{isa.OpEq, 2, 0}, {isa.OpNe, 2, 0}, {isa.OpLtS, 2, 0}, {isa.OpLeS, 2, 0}, {isa.OpLtU, 2, 0}, {isa.OpLeU, 2, 0},
	{isa.OpMulHiS, 2, 60}, {isa.OpMulHiU, 2, 60}, {isa.OpDivS, 2, 60}, {isa.OpRemS, 2, 80}, {isa.OpModS, 2, 70},
	{isa.OpAddSatS, 2, 20}, {isa.OpAddSatU, 2, 20}, {isa.OpSubSatS, 2, 20}, {isa.OpSubSatU, 2, 40},
	{isa.OpHAddS, 2, 0}, {isa.OpHAddU, 2, 0}, {isa.OpRHAddS, 2, 0}, {isa.OpRHAddU, 2, 0},
	{isa.OpAbsDiffS, 2, 40}, {isa.OpAbsDiffU, 2, 40},
	{isa.OpTruncate, 1, 0}, {isa.OpSExt, 1, 0}, {isa.OpZExt, 1, 0},
}

// TestUndefinedRules compares the rules with the results for all values of the undefined bits.
func TestUndefinedRules(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range ruleOps {
		total, more := 0, 0
		for range 300 {
			in := &isa.Inst{Op: c.op, Type: isa.I8}
			types := [4]isa.Type{isa.I8, isa.I8, isa.I8, isa.I8}
			switch c.op {
			case isa.OpSelect:
				types[0] = isa.B1
			case isa.OpTruncate:
				in.Type2, types[0] = isa.I16, isa.I16
			case isa.OpSExt, isa.OpZExt:
				in.Type, in.Type2 = isa.I16, isa.I8
			}
			o := randomOperands(r, c.n, types)
			switch c.op {
			case isa.OpBitInsert, isa.OpBitExtractS, isa.OpBitExtractU:
				at := c.n - 2 // an offset and a width that fit
				o.v[at], o.v[at+1] = uint64(r.IntN(5)), uint64(r.IntN(5))
				o.u[at], o.u[at+1] = o.u[at]&3, o.u[at+1]&3
			}
			want, got := truth(in, &o, c.n), undefinedBits(in, &o)
			if missing := want &^ got; missing != 0 {
				t.Fatalf("%s of %#x with undefined bits %#x: bits %#x are undefined, the rule has %#x", c.op, o.v[:c.n], o.u[:c.n], want, got)
			}
			if want != 0 || got != 0 {
				total++
				if got != want {
					more++
				}
			}
		}
		if more*100 > c.inexact*total {
			t.Errorf("%s: %d of %d results have more undefined bits than they should; allowed are %d in a hundred", c.op, more, total, c.inexact)
		}
	}
}

// randomOperands returns operands with at most ten undefined bits together.
func randomOperands(r *rand.Rand, n int, types [4]isa.Type) (o operands) {
	left := 10
	for i := range n {
		mask := full >> (64 - types[i].Bits())
		o.v[i] = r.Uint64() & mask
		if r.IntN(3) == 0 {
			o.v[i] &= 0xf // so that small numbers meet
		}
		if r.IntN(3) == 0 {
			continue
		}
		o.u[i] = r.Uint64() & r.Uint64() & mask
		for bits.OnesCount64(o.u[i]) > left {
			o.u[i] &= o.u[i] - 1
		}
		left -= bits.OnesCount64(o.u[i])
	}
	return o
}

func divides(op isa.Op) bool { return op >= isa.OpDivS && op <= isa.OpModS }

// truth returns the bits that differ between the results for all values of the undefined bits.
func truth(in *isa.Inst, o *operands, n int) (u uint64) {
	first, begun := uint64(0), false
	var try func(i int, x []uint64)
	try = func(i int, x []uint64) {
		if i == n {
			y := full >> (64 - in.Type.Bits()) // a quotient by 0
			if !divides(in.Op) || x[1] != 0 {
				y = oracle(in, x)
			}
			if !begun {
				first, begun = y, true
			}
			u |= y ^ first
			return
		}
		for s := uint64(0); ; {
			try(i+1, append(x[:i:i], o.v[i]&^o.u[i]|s))
			if s = (s - o.u[i]) & o.u[i]; s == 0 {
				return
			}
		}
	}
	try(0, nil)
	return u
}
