package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// refuseZero refuses the run if the divisor of a lane that runs is 0.
func (c *compiler) refuseZero(in *isa.Inst, b amd64.Vec) {
	if in.B.IsScalar() {
		c.G(amd64.CMP, amd64.Size(in.Type.Bits()), scalar(in.B), amd64.Imm(0))
		c.Jcc(amd64.Equal, c.refuse)
		return
	}
	c.set.zero(c, in.Type, b, c.refuse)
}

// divides says whether the run has a division by what may be 0.
func (c *compiler) divides() bool {
	for i := range c.run.Code {
		in := &c.run.Code[i]
		if _, constant := c.divisor(in); plan.Divides(in) && !constant {
			return true
		}
	}
	return false
}

// checkDivisors looks at the divisors of a run that changes its own inputs, before it does, in a
// loop of its own. Those are inputs, too.
func (c *compiler) checkDivisors() {
	seen := map[isa.Reg]isa.Type{}
	for i := range c.run.Code {
		in := &c.run.Code[i]
		if _, constant := c.divisor(in); !plan.Divides(in) || constant || seen[in.B] == in.Type {
			continue
		}
		c.at = i
		seen[in.B] = in.Type
		if in.B.IsScalar() {
			c.refuseZero(in, 0)
		} else {
			c.refuseZero(in, c.load(in.B, in.Type, true))
		}
	}
}

// divisor returns the value of a divisor that is the same in all launches, and not 0, as
// the division sees it.
func (c *compiler) divisor(in *isa.Inst) (uint64, bool) {
	n, ok := c.constant(in.B)
	if !ok {
		return 0, false
	}
	unused := 64 - in.Type.Bits()
	n = n << unused >> unused
	if signedDivision(in.Op) {
		n = uint64(int64(n) << unused >> unused)
	}
	return n, n != 0
}

func signedDivision(op isa.Op) bool { return op.Is(isa.PropSigned) }
