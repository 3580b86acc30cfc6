package native

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Copies of the work-group that are made at once (plan.Copy) are moves of vectors, line after line, behind
// one look at where the first line begins and the last one ends. Empty copies, long ones, those of three
// dimensions and whatever is not inside its allocation are left to package interp. Source and destination are
// different memory, so that it is all the same if some bytes are copied twice.

const (
	// mostCopied is how many bytes a copy may have: machine code cannot be interrupted. A copy of more than
	// fewCopied takes from the ration.
	mostCopied, fewCopied = 64 << 10, 4 << 10
	// copyWeight is how many instructions for a chunk take as long as few bytes.
	copyWeight = 24
	// countBits is how long numbers of elements and lines may be, itemBits the size of an element, and
	// reachBits the number of an element at which a copy begins: so no product of them is too long for 64
	// bits.
	countBits, itemBits, reachBits = 26, 10, 40
)

// The registers of a copy.
const (
	copyLine     = amd64.R8 // bytes of a line
	copyLines    = amd64.R9
	copyFrom     = amd64.RBX
	copyFromNext = amd64.R11 // to the next line
	copyTo       = amd64.R14
	copyToNext   = amd64.R12
	copyLast     = amd64.R15 // where the last vector of a line is
)

// copyShape is what is known of a copy when it is compiled.
type copyShape struct {
	*builder
	args  [isa.NumCopyArgs]isa.Reg
	leave amd64.Label
	back  amd64.Label // where it comes back if there is no ration left
	bytes uint64      // of an element
}

// known returns an operand that is the same in every launch, or has the default n.
func (c *copyShape) known(arg isa.CopyArg, n uint64) (uint64, bool) {
	r := c.args[arg]
	if r == isa.None {
		return n, true
	}
	v, ok := c.Constants[r.Index()]
	return v, ok
}

// count puts a number of elements or lines into a register, and collects the bits of those that are not known
// in RAX. It says whether the number can be right.
func (c *copyShape) count(r amd64.Reg, arg isa.CopyArg, n uint64) bool {
	if v, ok := c.known(arg, n); ok {
		c.G(amd64.MOV, amd64.B32, r, amd64.Imm(v&(1<<countBits-1)))
		return v>>countBits == 0
	}
	c.G(amd64.MOV, amd64.B64, r, x86.Scalar(c.args[arg]))
	c.G(amd64.OR, amd64.B64, amd64.RAX, r)
	return true
}

// distance puts how far one line is from the next, in bytes, into a register.
func (c *copyShape) distance(r amd64.Reg, arg isa.CopyArg) bool {
	if c.args[arg] == isa.None {
		c.G(amd64.MOV, amd64.B64, r, copyLine)
		return true
	}
	ok := c.count(r, arg, 1)
	c.scale(r)
	return ok
}

// scale makes bytes of elements.
func (c *copyShape) scale(r amd64.Reg) {
	switch n := c.bytes; {
	case n&(n-1) != 0:
		c.G(amd64.IMUL, amd64.B64, r, r, amd64.Imm(n))
	case n > 1:
		c.G(amd64.SHL, amd64.B64, r, amd64.Imm(bits.TrailingZeros64(n)))
	}
}

// side puts the address of the first line into a register, if all lines are inside of the allocation.
func (c *copyShape) side(r amd64.Reg, p *wave.Place, offset isa.CopyArg, next amd64.Reg, fill amd64.Label) bool {
	c.offset(p, fill)
	if v, ok := c.known(offset, 0); !ok {
		c.G(amd64.MOV, amd64.B64, r, x86.Scalar(c.args[offset]))
		c.G(amd64.MOV, amd64.B64, amd64.RDX, r)
		c.G(amd64.SHR, amd64.B64, amd64.RDX, amd64.Imm(reachBits))
		c.Jcc(amd64.NotZero, c.leave)
		c.scale(r)
		c.G(amd64.ADD, amd64.B64, amd64.RAX, r)
	} else if v>>(30-itemBits) != 0 {
		return false
	} else if v != 0 {
		c.G(amd64.ADD, amd64.B64, amd64.RAX, amd64.Imm(v*c.bytes))
	}
	// The last byte is as far behind the first as RCX says.
	c.G(amd64.LEA, amd64.B64, amd64.RCX, amd64.Mem{Base: copyLines, Disp: -1})
	c.G(amd64.IMUL, amd64.B64, amd64.RCX, next)
	c.G(amd64.LEA, amd64.B64, amd64.RCX, amd64.Mem{Base: amd64.RCX, Index: copyLine, Disp: -1})
	c.G(amd64.MOV, amd64.B64, amd64.RDX, x86.SlotField(p.Slot, wave.SlotLast))
	c.G(amd64.SUB, amd64.B64, amd64.RDX, amd64.RCX)
	c.Jcc(amd64.Below, c.leave)
	c.G(amd64.CMP, amd64.B64, amd64.RAX, amd64.RDX) // before the allocation is as beyond it
	c.Jcc(amd64.Above, c.leave)
	c.G(amd64.ADD, amd64.B64, amd64.RAX, x86.SlotField(p.Slot, wave.SlotBase))
	c.G(amd64.MOV, amd64.B64, r, amd64.RAX)
	return true
}

// copyGroup emits a copy of the work-group.
func (k *builder) copyGroup(p *plan.Part) {
	c := &copyShape{builder: k, args: p.Copy.Args, leave: k.exit(p.Point, wave.ExitPart), back: k.exit(p.Point, wave.ExitRation)}
	k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Field(wave.FrameActive))
	k.G(amd64.CMP, amd64.B64, amd64.RAX, x86.Field(wave.FrameAll))
	k.Jcc(amd64.NotEqual, c.leave)
	if !c.lines(p.Copy) || !c.side(copyFrom, &p.Copy.From, isa.CopySrcOffset, copyFromNext, k.exit(p.Point, wave.ExitSlots)) ||
		!c.side(copyTo, &p.Copy.To, isa.CopyDstOffset, copyToNext, k.exit(p.Point, wave.ExitSlots)) {
		k.Jmp(c.leave)
		return
	}
	c.move()
	c.event(p.Copy.Event)
}

// lines puts the number of lines, their length and their distances into registers. It says whether there is
// machine code for such a copy.
func (c *copyShape) lines(p *plan.Copy) bool {
	n, ok := c.known(isa.CopyElemBytes, 1)
	if !ok || n == 0 || n >= 1<<itemBits || p.Dim > 2 {
		return false
	}
	c.bytes = n
	c.G(amd64.XOR, amd64.B32, amd64.RAX, amd64.RAX)
	if p.Dim == 1 {
		// Elements with a gap between them are lines.
		ok = c.count(copyLines, isa.CopyElems, 1)
		c.G(amd64.MOV, amd64.B32, copyLine, amd64.Imm(n))
	} else {
		ok = c.count(copyLine, isa.CopyElems, 1) && c.count(copyLines, isa.CopyLines, 1)
		c.scale(copyLine)
	}
	if !ok || !c.distance(copyFromNext, isa.CopySrcLine) || !c.distance(copyToNext, isa.CopyDstLine) {
		return false
	}
	c.G(amd64.SHR, amd64.B64, amd64.RAX, amd64.Imm(countBits))
	c.Jcc(amd64.NotZero, c.leave)
	c.G(amd64.MOV, amd64.B64, amd64.RAX, copyLine)
	c.G(amd64.IMUL, amd64.B64, amd64.RAX, copyLines)
	c.G(amd64.LEA, amd64.B64, amd64.RCX, amd64.Mem{Base: amd64.RAX, Disp: -1})
	c.G(amd64.CMP, amd64.B64, amd64.RCX, amd64.Imm(mostCopied)) // none is as too many
	c.Jcc(amd64.AboveEqual, c.leave)
	much, few := c.NewLabel(), c.NewLabel()
	c.G(amd64.CMP, amd64.B64, amd64.RCX, amd64.Imm(fewCopied))
	c.Jcc(amd64.AboveEqual, much)
	c.Later(func() {
		c.Bind(much)
		c.G(amd64.DEC, amd64.B64, x86.Field(wave.FrameRation))
		c.Jcc(amd64.IsZero, c.back)
		c.Jmp(few)
	})
	c.Bind(few)
	c.G(amd64.CMP, amd64.B64, copyToNext, copyLine)
	// Lines without a gap on either side are one.
	apart := c.NewLabel()
	c.Jcc(amd64.NotEqual, apart)
	c.G(amd64.CMP, amd64.B64, copyFromNext, copyLine)
	c.Jcc(amd64.NotEqual, apart)
	c.G(amd64.MOV, amd64.B64, copyLine, amd64.RAX)
	c.G(amd64.MOV, amd64.B32, copyLines, amd64.Imm(1))
	c.Bind(apart)
	return true
}

// move emits the copy itself.
func (c *copyShape) move() {
	_, _, width := x86.SetOf(c.CPU).Every()
	size := width.Bytes()
	done, more, one := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.G(amd64.CMP, amd64.B64, copyLine, amd64.Imm(size))
	c.Jcc(amd64.Equal, one)
	c.Jcc(amd64.Above, more)
	if c.CPU&amd64.AVX512 != 0 {
		c.G(amd64.MOV, amd64.B64, amd64.RAX, amd64.Imm(-1))
		c.V(amd64.BZHIQ, amd64.X, amd64.RAX, amd64.RAX, copyLine)
		c.V(amd64.KMOVQ, amd64.X, x86.MaskTemp, amd64.RAX)
		c.each(func() {
			c.V(amd64.VMOVDQU8, width, amd64.Vec(0), amd64.Mem{Base: copyFrom}, amd64.Zero(x86.MaskTemp))
			c.V(amd64.VMOVDQU8, width, amd64.Mem{Base: copyTo}, amd64.Vec(0), amd64.Merge(x86.MaskTemp))
		})
		c.Jmp(done)
	} else {
		c.few(done)
	}

	c.Bind(one)
	c.each(func() { c.vector(width, 0) })
	c.Jmp(done)

	c.Bind(more)
	c.G(amd64.LEA, amd64.B64, copyLast, amd64.Mem{Base: copyLine, Disp: int32(-size)})
	c.each(func() {
		again := c.NewLabel()
		c.G(amd64.XOR, amd64.B32, amd64.RAX, amd64.RAX)
		c.Bind(again)
		c.vector(width, amd64.RAX)
		c.G(amd64.ADD, amd64.B64, amd64.RAX, amd64.Imm(size))
		c.G(amd64.CMP, amd64.B64, amd64.RAX, copyLast)
		c.Jcc(amd64.Below, again)
		c.vector(width, copyLast) // some of these bytes may have been copied before
	})
	c.Bind(done)
}

// few copies lines shorter than a vector of AVX2, which has no masks for bytes.
func (c *copyShape) few(done amd64.Label) {
	for _, n := range [...]int{16, 8, 4, 2, 1} {
		other := c.NewLabel()
		c.G(amd64.CMP, amd64.B64, copyLine, amd64.Imm(n))
		c.Jcc(amd64.NotEqual, other)
		if n == 16 {
			c.each(func() { c.vector(amd64.X, 0) })
		} else {
			s := map[int]amd64.Size{8: amd64.B64, 4: amd64.B32, 2: amd64.B16, 1: amd64.B8}[n]
			c.each(func() {
				c.G(amd64.MOV, s, amd64.RAX, amd64.Mem{Base: copyFrom})
				c.G(amd64.MOV, s, amd64.Mem{Base: copyTo}, amd64.RAX)
			})
		}
		c.Jmp(done)
		c.Bind(other)
	}
	c.Jmp(c.leave)
}

// vector copies a vector of the line that is as far from its beginning as a register says; 0 is at its
// beginning.
func (c *copyShape) vector(w amd64.Width, at amd64.Reg) {
	c.V(amd64.VMOVDQU32, w, amd64.Vec(0), amd64.Mem{Base: copyFrom, Index: at})
	c.V(amd64.VMOVDQU32, w, amd64.Mem{Base: copyTo, Index: at}, amd64.Vec(0))
}

// each emits what copies a line, in a loop over the lines.
func (c *copyShape) each(line func()) {
	again := c.NewLabel()
	c.Bind(again)
	line()
	c.G(amd64.ADD, amd64.B64, copyFrom, copyFromNext)
	c.G(amd64.ADD, amd64.B64, copyTo, copyToNext)
	c.G(amd64.DEC, amd64.B64, copyLines)
	c.Jcc(amd64.NotZero, again)
}

// event emits what says which event the copy belongs to.
func (c *copyShape) event(dst isa.Reg) {
	v, ok := c.known(isa.CopyEvent, 0)
	have := c.NewLabel()
	if ok && v != 0 {
		c.G(amd64.MOV, amd64.B64, amd64.RAX, amd64.Imm(v))
	} else {
		if !ok {
			c.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Scalar(c.args[isa.CopyEvent]))
			c.G(amd64.TEST, amd64.B64, amd64.RAX, amd64.RAX)
			c.Jcc(amd64.NotZero, have)
		}
		c.G(amd64.MOV, amd64.B64, amd64.RDX, x86.Field(wave.FrameEvent))
		c.G(amd64.MOV, amd64.B32, amd64.RAX, amd64.Mem{Base: amd64.RDX})
		c.G(amd64.INC, amd64.B32, amd64.RAX)
		c.Jcc(amd64.IsZero, c.leave)
		c.G(amd64.MOV, amd64.B64, amd64.Mem{Base: amd64.RDX}, amd64.RAX)
	}
	c.Bind(have)
	if dst.IsScalar() {
		c.G(amd64.MOV, amd64.B64, x86.Scalar(dst), amd64.RAX)
	}
}
