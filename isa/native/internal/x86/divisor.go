package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// RefuseZero refuses the run if the divisor of a lane that runs is 0.
func (c *Compiler) RefuseZero(in *isa.Inst, b amd64.Vec) {
	if in.B.IsScalar() {
		c.G(amd64.CMP, amd64.Size(in.Type.Bits()), Scalar(in.B), amd64.Imm(0))
		c.Jcc(amd64.Equal, c.Refuse)
		return
	}
	c.ISA.zero(c, in.Type, b, c.Refuse)
}

// Divides says whether the run has a division by what may be 0.
func (c *Compiler) Divides() bool {
	for i := range c.Run.Code {
		in := &c.Run.Code[i]
		if _, constant := c.Divisor(in); plan.Divides(in) && !constant {
			return true
		}
	}
	return false
}

// checkDivisors looks at the divisors of a run that changes its own inputs, before it does, in a
// loop of its own. Those are inputs, too.
func (c *Compiler) checkDivisors() {
	seen := map[isa.Reg]isa.Type{}
	for i := range c.Run.Code {
		in := &c.Run.Code[i]
		if _, constant := c.Divisor(in); !plan.Divides(in) || constant || seen[in.B] == in.Type {
			continue
		}
		c.Index = i
		seen[in.B] = in.Type
		if in.B.IsScalar() {
			c.RefuseZero(in, 0)
		} else {
			c.RefuseZero(in, c.Load(in.B, in.Type, true))
		}
	}
}

// Divisor returns the value of a divisor that is the same in all launches, and not 0, as
// the division sees it.
func (c *Compiler) Divisor(in *isa.Inst) (uint64, bool) {
	n, ok := c.Constant(in.B)
	if !ok {
		return 0, false
	}
	unused := 64 - in.Type.Bits()
	n = n << unused >> unused
	if SignedDivision(in.Op) {
		n = uint64(int64(n) << unused >> unused)
	}
	return n, n != 0
}

// SignedDivision says whether a division is one of signed numbers.
func SignedDivision(op isa.Op) bool { return op.Is(isa.PropSigned) }
