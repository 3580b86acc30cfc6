package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// A group whose lanes select elements that lie close together, as those of every other element or of two rows
// do, is done by two moves and a permutation, in a quarter of the time of a gather.

// windowed says whether a load may be done so.
func (c *compiler) windowed(g *gathering) bool {
	return c.features&amd64.AVX512 != 0 && c.lanes == 16 && g.t.Bank() == isa.Bank32 && g.it == isa.I32 && int(g.in.Scale) == g.t.Bytes()
}

// loadWindow loads the elements if the lanes that run select some of the 32 from the first lane's on, all of
// them within the limit.
func (c *compiler) loadWindow(g *gathering) {
	far := c.NewLabel()
	w := c.width(g.t)
	c.V(opSpread.of(g.it), w, g.d, g.x)
	c.V(opSub.of(g.it), w, g.d, g.x, g.d)
	c.V(opCmpU.of(g.it), w, maskTemp, g.d, c.splat(g.it, 31, 0), amd64.Imm(intGreater), amd64.Merge(maskExec))
	c.V(amd64.KORTESTW, amd64.X, maskTemp, maskTemp)
	c.Jcc(amd64.NotZero, far)
	c.V(opExtract.of(g.it), amd64.X, regTemp, g.x)
	if g.bias != 0 {
		c.G(amd64.SUB, amd64.B32, regTemp, amd64.Imm(g.bias))
	}
	c.G(amd64.LEA, amd64.B64, regAddress, amd64.Mem{Base: regTemp, Disp: 31})
	c.G(amd64.CMP, amd64.B64, regAddress, g.limit)
	c.Jcc(amd64.Above, far)
	c.G(amd64.MOV, amd64.B64, regAddress, g.address)
	m := amd64.Mem{Base: regAddress, Index: regTemp, Scale: uint8(g.in.Scale), Disp: g.disp}
	c.V(amd64.VMOVDQU32, w, g.temp, m)
	c.V(amd64.VPERMI2D, w, g.d, g.temp, m.Plus(64))
	c.Jmp(g.done)
	c.Bind(far)
}
