package emitters

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// scanning is an operation that combines lanes.
type scanning struct {
	op    x86.Pair
	imm   []amd64.Operand // what else the operation takes
	looks x86.View        // how it looks at elements of 8 and 16 bits
	// neutral returns what lanes that do not take part have, as the low bits of an element in a register.
	neutral func(t isa.Type) uint64
}

func always(v uint64) func(isa.Type) uint64 { return func(isa.Type) uint64 { return v } }

// scannings are the operations on numbers. A NaN loses to a number, so that it is what changes nothing.
var scannings = [isa.NumScanOps]scanning{
	isa.ScanAdd:  {op: x86.OpAdd, looks: x86.ViewCut, neutral: always(0)},
	isa.ScanMul:  {op: x86.OpMul, looks: x86.ViewCut, neutral: always(1)},
	isa.ScanMinS: {op: x86.OpMinS, looks: x86.ViewSigned, neutral: func(t isa.Type) uint64 { return 1<<(t.Bits()-1) - 1 }},
	isa.ScanMaxS: {op: x86.OpMaxS, looks: x86.ViewSigned, neutral: func(t isa.Type) uint64 { return -(uint64(1) << (t.Bits() - 1)) }},
	isa.ScanMinU: {op: x86.OpMinU, neutral: func(t isa.Type) uint64 { return ^uint64(0) >> (64 - t.Bits()) }},
	isa.ScanMaxU: {op: x86.OpMaxU, neutral: always(0)},
	isa.ScanAnd:  {op: x86.OpAnd, neutral: func(t isa.Type) uint64 { return ^uint64(0) >> (64 - t.Bits()) }},
	isa.ScanOr:   {op: x86.OpOr, neutral: always(0)},
	isa.ScanXor:  {op: x86.OpXor, neutral: always(0)},
	isa.ScanFAdd: {op: x86.OpFAdd, neutral: func(t isa.Type) uint64 { return 1 << (t.Bits() - 1) }}, // -0
	isa.ScanFMul: {op: x86.OpFMul, neutral: func(t isa.Type) uint64 {
		if t == isa.F64 {
			return math.Float64bits(1)
		}
		return uint64(math.Float32bits(1))
	}},
	isa.ScanFMin: {op: x86.OpRange, imm: []amd64.Operand{amd64.Imm(x86.RangeMin)}, neutral: x86.CanonicalNaN},
	isa.ScanFMax: {op: x86.OpRange, imm: []amd64.Operand{amd64.Imm(x86.RangeMax)}, neutral: x86.CanonicalNaN},
}

// scans is the part of [crossings] for scans.
func scans(in *isa.Inst) x86.Emitter {
	kind, op := in.ScanOf()
	switch {
	case in.B != isa.None:
		return nil
	case in.Type == isa.B1:
		if kind == isa.ScanReduce && in.Scale == 0 {
			return reduceBits
		}
		return nil
	case in.Type == isa.F16, in.Type.IsFloat() && kind == isa.ScanExclusive, (op == isa.ScanFAdd || op == isa.ScanFMul) && kind != isa.ScanReduce:
		return nil // scans of floats have an order that is that of the lanes
	case kind == isa.ScanReduce:
		return reduce
	}
	return scan
}

// scanned is a scan under way.
type scanned struct {
	*x86.Compiler
	*scanning
	t       isa.Type
	w       amd64.Width
	x       []amd64.Vec // the lanes, by group
	a, b    amd64.Vec   // temporary registers
	cluster int         // lanes of a cluster, 64 if that is the sub-group
	loose   bool        // the result may have NaNs that are not the canonical one
}

// beginScan loads the operand. The registers of x are those of the result.
func beginScan(c *x86.Compiler, in *isa.Inst) (s *scanned, operand []amd64.Vec) {
	_, op := in.ScanOf()
	s = &scanned{Compiler: c, scanning: &scannings[op], t: in.Type, w: c.Width(in.Type), cluster: 64}
	if in.Scale > 0 && in.Scale < 64 {
		s.cluster = int(in.Scale)
	}
	c.View = s.looks
	s.loose = op == isa.ScanFAdd || op == isa.ScanFMul
	if c.ISA.File(isa.BankMask) != x86.FileMask {
		// There is not room for both.
		s.a, s.b = c.Vec(), c.Vec()
		everyGroup(c, func(g int) {
			x := c.Load(in.A, s.t, !s.loose)
			d := c.Vec()
			c.V(x86.OpCopy.Of(s.t), s.w, d, x)
			s.x = append(s.x, d)
		})
		return s, s.x
	}
	operand = sources(c, in.A, s.t, !s.loose)
	s.x, s.a, s.b = vecs(c), c.Vec(), c.Vec()
	if op == isa.ScanFMin || op == isa.ScanFMax {
		// VRANGEPS takes a signaling NaN for the result.
		for g := range s.x {
			c.V(x86.OpCopy.Of(s.t), s.w, s.x[g], operand[g])
			c.ISA.Canonical(c, s.t, s.x[g])
		}
		operand = s.x
	}
	return s, operand
}

// taking has whole emit what follows for lanes that all run, and some for s.x in which those that do not run
// have the neutral element, seldom.
func (s *scanned) taking(operand []amd64.Vec, whole, some func()) {
	part, done := s.NewLabel(), s.NewLabel()
	s.G(amd64.CMP, amd64.B64, s.ExecWord(), amd64.Imm(-1))
	s.Jcc(amd64.NotEqual, part)
	whole()
	s.Bind(done)
	neutral := s.Number(s.t, s.neutral(s.t))
	s.LaterInChunk(func() {
		s.Bind(part)
		for g := range operand {
			if s.ISA.File(isa.BankMask) != x86.FileMask {
				whereRunning(s.Compiler, g)
				s.V(x86.OpSpread.Of(s.t), s.w, s.a, neutral)
				s.V(amd64.VBLENDVPS, s.w, s.x[g], s.a, s.x[g], x86.VecTemp)
				continue
			}
			s.V(s.Kmov(), amd64.X, x86.MaskTemp, s.ExecOf(g))
			s.V(x86.OpSpread.Of(s.t), s.w, s.a, neutral)
			s.V(x86.OpBlend.Of(s.t), s.w, s.x[g], s.a, operand[g], amd64.Merge(x86.MaskTemp))
		}
		some()
		s.Jmp(done)
	})
}

// end makes the lanes the result.
func (s *scanned) end(in *isa.Inst) {
	everyGroup(s.Compiler, func(g int) {
		if s.loose {
			s.ResultFloat(in, s.x[g])
		} else {
			s.Result(in, s.t, s.x[g])
		}
	})
	s.View = x86.ViewZero
}

// combine emits d = x op y for all lanes, or those of a mask.
func (s *scanned) combine(d, x, y amd64.Vec, mask ...amd64.Operand) {
	operands := append([]amd64.Operand{d, x, y}, s.imm...)
	s.V(s.op.Of(s.t), s.w, append(operands, mask...)...)
}

// swap emits d = x with lanes exchanged: each with the one whose number differs by step.
func (s *scanned) swap(d, x amd64.Vec, step int) {
	if s.t.Bank() == isa.Bank64 {
		step *= 2
	}
	switch step {
	case 1:
		s.V(amd64.VPSHUFD, s.w, d, x, amd64.Imm(0xb1))
	case 2:
		s.V(amd64.VPSHUFD, s.w, d, x, amd64.Imm(0x4e))
	case 4:
		s.V(amd64.VPERMQ, s.w, d, x, amd64.Imm(0x4e))
	default:
		s.V(amd64.VSHUFI64X2, s.w, d, x, x, amd64.Imm(0x4e))
	}
}

// half emits d = the lower or the upper halves of x and y.
func (s *scanned) half(d, x, y amd64.Vec, upper bool) {
	op, halves := amd64.VSHUFI64X2, [2]int{0x44, 0xee}
	switch {
	case s.ISA.Bits() == 256:
		op, halves = amd64.VPERM2I128, [2]int{0x20, 0x31} // which knows 16 registers only
	case s.w == amd64.Y:
		halves = [2]int{0, 3}
	}
	imm := halves[0]
	if upper {
		imm = halves[1]
	}
	s.V(op, s.w, d, x, y, amd64.Imm(imm))
}

func reduce(c *x86.Compiler, in *isa.Inst) {
	s, operand := beginScan(c, in)
	s.taking(operand, func() { s.reduceAll(operand) }, func() { s.reduceAll(s.x) })
	s.end(in)
}

// reduceAll reduces x to s.x, whatever the sub-group size is. It is made for the usual one.
func (s *scanned) reduceAll(x []amd64.Vec) {
	usual := min(32, s.cluster)
	if s.cluster <= wave.MinLanes {
		s.reduce(x, usual)
		return
	}
	other, done := s.NewLabel(), s.NewLabel()
	field := s.LanesTable()
	s.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(usual))
	if s.cluster > usual {
		s.Jcc(amd64.NotEqual, other)
	} else {
		s.Jcc(amd64.Below, other)
	}
	s.reduce(x, usual)
	s.Bind(done)
	s.LaterInChunk(func() {
		s.Bind(other)
		for n := wave.MinLanes; n <= s.cluster; n *= 2 {
			if n == usual || n == s.cluster && n < wave.MaxLanes {
				continue
			}
			next := s.NewLabel()
			s.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(n))
			s.Jcc(amd64.NotEqual, next)
			s.reduce(x, n)
			s.Jmp(done)
			s.Bind(next)
		}
		s.G(amd64.INT3, amd64.B64) // there are no other sizes
	})
}

// reduce combines each n lanes of x by halves, those half of n apart first, to s.x, which may be x.
func (s *scanned) reduce(x []amd64.Vec, n int) {
	d, lanes := s.x, s.Lanes
	if n < lanes {
		for g := range d {
			s.fold(d[g], x[g], s.a, n/2)
		}
		return
	}
	apart := n / lanes // groups
	for step := apart / 2; step > 0; step /= 2 {
		for first := 0; first < len(d); first += apart {
			for g := first; g < first+step; g++ {
				s.combine(d[g], x[g], x[g+step])
			}
		}
		x = d
	}
	if apart == len(d) {
		s.fold(d[0], x[0], s.a, lanes/2)
	} else {
		// Two of them share a register.
		for g := 0; g < len(d); g += 2 * apart {
			lo, hi := g, g+apart
			s.half(s.a, x[lo], x[hi], false)
			s.half(s.b, x[lo], x[hi], true)
			s.combine(s.a, s.a, s.b)
			s.fold(s.a, s.a, s.b, lanes/4)
			s.half(d[lo], s.a, s.a, false)
			s.half(d[hi], s.a, s.a, true)
		}
	}
	for g := range d {
		if g%apart != 0 {
			s.V(x86.OpCopy.Of(s.t), s.w, d[g], d[g&^(apart-1)])
		}
	}
}

// fold combines lanes of x so many apart, half of that, and so on, to d.
func (s *scanned) fold(d, x, temp amd64.Vec, step int) {
	if step == 0 && d != x {
		s.V(x86.OpCopy.Of(s.t), s.w, d, x)
	}
	for ; step > 0; step /= 2 {
		s.swap(temp, x, step)
		s.combine(d, x, temp)
		x = d
	}
}

var opAlign = x86.Pair{amd64.VALIGND, amd64.VALIGNQ}

// up emits d = the lanes step below those of group g, if there are any.
func (s *scanned) up(d amd64.Vec, g, step int) bool {
	if step >= s.Lanes {
		from := g - step/s.Lanes
		if from < 0 {
			return false
		}
		s.V(x86.OpCopy.Of(s.t), s.w, d, s.x[from])
		return true
	}
	s.V(opAlign.Of(s.t), s.w, d, s.x[g], s.x[max(g-1, 0)], amd64.Imm(s.Lanes-step))
	return true
}

// upMask loads, into MaskTemp, which lanes of group g have one of their cluster step below.
func (s *scanned) upMask(field func(uintptr) amd64.Mem, g, step int) {
	byte := int32(g * s.Lanes / 8)
	s.V(s.Kmov(), amd64.X, x86.MaskTemp, field(wave.LanesUp).Plus(int32(bits.TrailingZeros(uint(step))*8)+byte))
	if s.cluster < wave.MaxLanes {
		word := s.Const(binary.LittleEndian.AppendUint64(nil, wave.LanesUpFrom(s.cluster, step)))
		s.V(s.Kmov(), amd64.X, x86.MaskTemp2, word.Plus(byte))
		s.V(amd64.KANDW, amd64.X, x86.MaskTemp, x86.MaskTemp, x86.MaskTemp2)
	}
}

// scan is an inclusive or exclusive scan: of two lanes, of four, and so on.
func scan(c *x86.Compiler, in *isa.Inst) {
	kind, _ := in.ScanOf()
	s, operand := beginScan(c, in)
	s.taking(operand, func() {
		for g, x := range operand {
			if s.x[g] != x {
				c.V(x86.OpCopy.Of(s.t), s.w, s.x[g], x)
			}
		}
	}, func() {})
	done := c.NewLabel()
	field := c.LanesTable()
	for step := 1; step < s.cluster; step *= 2 {
		if step >= wave.MinLanes {
			c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(step))
			c.Jcc(amd64.BelowEqual, done)
		}
		for g := len(s.x) - 1; g >= 0; g-- {
			if s.up(s.a, g, step) {
				s.upMask(field, g, step)
				s.combine(s.x[g], s.x[g], s.a, amd64.Merge(x86.MaskTemp))
			}
		}
	}
	c.Bind(done)
	if kind == isa.ScanExclusive {
		neutral := c.Number(s.t, s.neutral(s.t))
		for g := len(s.x) - 1; g >= 0; g-- {
			s.up(s.a, g, 1)
			s.upMask(field, g, 1)
			c.V(x86.OpSpread.Of(s.t), s.w, s.x[g], neutral)
			c.V(x86.OpCopy.Of(s.t), s.w, s.x[g], s.a, amd64.Merge(x86.MaskTemp))
		}
	}
	s.end(in)
}

// reduceBits is a reduction of booleans.
func reduceBits(c *x86.Compiler, in *isa.Inst) {
	_, op := in.ScanOf()
	switch op {
	case isa.ScanAnd:
		word(c, in.A)
		c.G(amd64.NOT, amd64.B64, x86.RegTemp)
		c.G(amd64.AND, amd64.B64, x86.RegTemp, c.ExecWord())
		anyOf(c)
		c.G(amd64.NOT, amd64.B64, x86.RegTemp)
	case isa.ScanOr:
		runningWord(c, in.A)
		anyOf(c)
	default:
		runningWord(c, in.A)
		oddOf(c)
	}
	resultWord(c, in)
}

// oddOf sets, in RegTemp, all bits of the sub-groups that have an odd number of them.
func oddOf(c *x86.Compiler) {
	scratch(c)
	field := c.LanesTable()
	done := c.NewLabel()
	for step := 1; step < wave.MaxLanes; step *= 2 {
		if step >= wave.MinLanes {
			c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(step))
			c.Jcc(amd64.BelowEqual, done)
		}
		c.G(amd64.MOV, amd64.B64, regWord, x86.RegTemp)
		c.G(amd64.SHR, amd64.B64, regWord, amd64.Imm(step))
		c.G(amd64.XOR, amd64.B64, x86.RegTemp, regWord)
	}
	c.Bind(done)
	c.G(amd64.MOV, amd64.B32, regWord, field(wave.LanesLast))
	c.G(amd64.AND, amd64.B64, x86.RegTemp, field(wave.LanesLow))
	c.V(amd64.SHLXQ, amd64.X, regWord2, x86.RegTemp, regWord)
	c.G(amd64.MOV, amd64.B64, regWord, field(wave.LanesTop))
	spreadTop(c, field)
}
