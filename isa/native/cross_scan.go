package native

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// scanning is an operation that combines lanes.
type scanning struct {
	op    pair
	imm   []amd64.Operand // what else the operation takes
	looks view            // how it looks at elements of 8 and 16 bits
	// neutral returns what lanes that do not take part have, as the low bits of an element in a register.
	neutral func(t isa.Type) uint64
}

func always(v uint64) func(isa.Type) uint64 { return func(isa.Type) uint64 { return v } }

// scannings are the operations on numbers. A NaN loses to a number, so that it is what changes nothing.
var scannings = [isa.NumScanOps]scanning{
	isa.ScanAdd:  {op: opAdd, looks: viewCut, neutral: always(0)},
	isa.ScanMul:  {op: opMul, looks: viewCut, neutral: always(1)},
	isa.ScanMinS: {op: opMinS, looks: viewSigned, neutral: func(t isa.Type) uint64 { return 1<<(t.Bits()-1) - 1 }},
	isa.ScanMaxS: {op: opMaxS, looks: viewSigned, neutral: func(t isa.Type) uint64 { return -(uint64(1) << (t.Bits() - 1)) }},
	isa.ScanMinU: {op: opMinU, neutral: func(t isa.Type) uint64 { return ^uint64(0) >> (64 - t.Bits()) }},
	isa.ScanMaxU: {op: opMaxU, neutral: always(0)},
	isa.ScanAnd:  {op: opAnd, neutral: func(t isa.Type) uint64 { return ^uint64(0) >> (64 - t.Bits()) }},
	isa.ScanOr:   {op: opOr, neutral: always(0)},
	isa.ScanXor:  {op: opXor, neutral: always(0)},
	isa.ScanFAdd: {op: opFAdd, neutral: func(t isa.Type) uint64 { return 1 << (t.Bits() - 1) }}, // -0
	isa.ScanFMul: {op: opFMul, neutral: func(t isa.Type) uint64 {
		if t == isa.F64 {
			return math.Float64bits(1)
		}
		return uint64(math.Float32bits(1))
	}},
	isa.ScanFMin: {op: opRange, imm: []amd64.Operand{amd64.Imm(rangeMin)}, neutral: canonicalNaN},
	isa.ScanFMax: {op: opRange, imm: []amd64.Operand{amd64.Imm(rangeMax)}, neutral: canonicalNaN},
}

// scans is the part of [crossings] for scans.
func scans(in *isa.Inst) emitter {
	kind, op := in.ScanOf()
	switch {
	case in.B != isa.None:
		return nil
	case in.Type == isa.B1:
		if kind == isa.ScanReduce && in.Scale == 0 {
			return (*compiler).reduceBits
		}
		return nil
	case in.Type == isa.F16, in.Type.IsFloat() && kind == isa.ScanExclusive, (op == isa.ScanFAdd || op == isa.ScanFMul) && kind != isa.ScanReduce:
		return nil // scans of floats have an order that is that of the lanes
	case kind == isa.ScanReduce:
		return (*compiler).reduce
	}
	return (*compiler).scan
}

// scanned is a scan under way.
type scanned struct {
	*compiler
	*scanning
	t       isa.Type
	w       amd64.Width
	x       []amd64.Vec // the lanes, by group
	a, b    amd64.Vec   // temporary registers
	cluster int         // lanes of a cluster, 64 if that is the sub-group
	loose   bool        // the result may have NaNs that are not the canonical one
}

// beginScan loads the operand. The registers of x are those of the result.
func (c *compiler) beginScan(in *isa.Inst) (s *scanned, operand []amd64.Vec) {
	_, op := in.ScanOf()
	s = &scanned{compiler: c, scanning: &scannings[op], t: in.Type, w: c.width(in.Type), cluster: 64}
	if in.Scale > 0 && in.Scale < 64 {
		s.cluster = int(in.Scale)
	}
	c.view = s.looks
	s.loose = op == isa.ScanFAdd || op == isa.ScanFMul
	if c.set.file(isa.BankMask) != fileMask {
		// There is not room for both.
		s.a, s.b = c.vec(), c.vec()
		c.everyGroup(func(g int) {
			x := c.load(in.A, s.t, !s.loose)
			d := c.vec()
			c.V(opCopy.of(s.t), s.w, d, x)
			s.x = append(s.x, d)
		})
		return s, s.x
	}
	operand = c.sources(in.A, s.t, !s.loose)
	s.x, s.a, s.b = c.vecs(), c.vec(), c.vec()
	if op == isa.ScanFMin || op == isa.ScanFMax {
		// VRANGEPS takes a signaling NaN for the result.
		for g := range s.x {
			c.V(opCopy.of(s.t), s.w, s.x[g], operand[g])
			c.set.canonical(c, s.t, s.x[g])
		}
		operand = s.x
	}
	return s, operand
}

// taking has whole emit what follows for lanes that all run, and some for s.x in which those that do not run
// have the neutral element, seldom.
func (s *scanned) taking(operand []amd64.Vec, whole, some func()) {
	part, done := s.NewLabel(), s.NewLabel()
	s.G(amd64.CMP, amd64.B64, s.execWord(), amd64.Imm(-1))
	s.Jcc(amd64.NotEqual, part)
	whole()
	s.Bind(done)
	neutral := s.number(s.t, s.neutral(s.t))
	s.laterInChunk(func() {
		s.Bind(part)
		for g := range operand {
			if s.set.file(isa.BankMask) != fileMask {
				s.whereRunning(g)
				s.V(opSpread.of(s.t), s.w, s.a, neutral)
				s.V(amd64.VBLENDVPS, s.w, s.x[g], s.a, s.x[g], vecTemp)
				continue
			}
			s.V(s.kmov(), amd64.X, maskTemp, s.execOf(g))
			s.V(opSpread.of(s.t), s.w, s.a, neutral)
			s.V(opBlend.of(s.t), s.w, s.x[g], s.a, operand[g], amd64.Merge(maskTemp))
		}
		some()
		s.Jmp(done)
	})
}

// end makes the lanes the result.
func (s *scanned) end(in *isa.Inst) {
	s.everyGroup(func(g int) {
		if s.loose {
			s.resultFloat(in, s.x[g])
		} else {
			s.result(in, s.t, s.x[g])
		}
	})
	s.view = viewZero
}

// combine emits d = x op y for all lanes, or those of a mask.
func (s *scanned) combine(d, x, y amd64.Vec, mask ...amd64.Operand) {
	operands := append([]amd64.Operand{d, x, y}, s.imm...)
	s.V(s.op.of(s.t), s.w, append(operands, mask...)...)
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
	case s.set.bits() == 256:
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

func (c *compiler) reduce(in *isa.Inst) {
	s, operand := c.beginScan(in)
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
	field := s.lanesTable()
	s.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(usual))
	if s.cluster > usual {
		s.Jcc(amd64.NotEqual, other)
	} else {
		s.Jcc(amd64.Below, other)
	}
	s.reduce(x, usual)
	s.Bind(done)
	s.laterInChunk(func() {
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
	d, lanes := s.x, s.lanes
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
			s.V(opCopy.of(s.t), s.w, d[g], d[g&^(apart-1)])
		}
	}
}

// fold combines lanes of x so many apart, half of that, and so on, to d.
func (s *scanned) fold(d, x, temp amd64.Vec, step int) {
	if step == 0 && d != x {
		s.V(opCopy.of(s.t), s.w, d, x)
	}
	for ; step > 0; step /= 2 {
		s.swap(temp, x, step)
		s.combine(d, x, temp)
		x = d
	}
}

var opAlign = pair{amd64.VALIGND, amd64.VALIGNQ}

// up emits d = the lanes step below those of group g, if there are any.
func (s *scanned) up(d amd64.Vec, g, step int) bool {
	if step >= s.lanes {
		from := g - step/s.lanes
		if from < 0 {
			return false
		}
		s.V(opCopy.of(s.t), s.w, d, s.x[from])
		return true
	}
	s.V(opAlign.of(s.t), s.w, d, s.x[g], s.x[max(g-1, 0)], amd64.Imm(s.lanes-step))
	return true
}

// upMask loads, into maskTemp, which lanes of group g have one of their cluster step below.
func (s *scanned) upMask(field func(uintptr) amd64.Mem, g, step int) {
	byte := int32(g * s.lanes / 8)
	s.V(s.kmov(), amd64.X, maskTemp, field(wave.LanesUp).Plus(int32(bits.TrailingZeros(uint(step))*8)+byte))
	if s.cluster < wave.MaxLanes {
		word := s.Const(binary.LittleEndian.AppendUint64(nil, wave.LanesUpFrom(s.cluster, step)))
		s.V(s.kmov(), amd64.X, maskTemp2, word.Plus(byte))
		s.V(amd64.KANDW, amd64.X, maskTemp, maskTemp, maskTemp2)
	}
}

// scan is an inclusive or exclusive scan: of two lanes, of four, and so on.
func (c *compiler) scan(in *isa.Inst) {
	kind, _ := in.ScanOf()
	s, operand := c.beginScan(in)
	s.taking(operand, func() {
		for g, x := range operand {
			if s.x[g] != x {
				c.V(opCopy.of(s.t), s.w, s.x[g], x)
			}
		}
	}, func() {})
	done := c.NewLabel()
	field := c.lanesTable()
	for step := 1; step < s.cluster; step *= 2 {
		if step >= wave.MinLanes {
			c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(step))
			c.Jcc(amd64.BelowEqual, done)
		}
		for g := len(s.x) - 1; g >= 0; g-- {
			if s.up(s.a, g, step) {
				s.upMask(field, g, step)
				s.combine(s.x[g], s.x[g], s.a, amd64.Merge(maskTemp))
			}
		}
	}
	c.Bind(done)
	if kind == isa.ScanExclusive {
		neutral := c.number(s.t, s.neutral(s.t))
		for g := len(s.x) - 1; g >= 0; g-- {
			s.up(s.a, g, 1)
			s.upMask(field, g, 1)
			c.V(opSpread.of(s.t), s.w, s.x[g], neutral)
			c.V(opCopy.of(s.t), s.w, s.x[g], s.a, amd64.Merge(maskTemp))
		}
	}
	s.end(in)
}

// reduceBits is a reduction of booleans.
func (c *compiler) reduceBits(in *isa.Inst) {
	_, op := in.ScanOf()
	switch op {
	case isa.ScanAnd:
		c.word(in.A)
		c.G(amd64.NOT, amd64.B64, regTemp)
		c.G(amd64.AND, amd64.B64, regTemp, c.execWord())
		c.anyOf()
		c.G(amd64.NOT, amd64.B64, regTemp)
	case isa.ScanOr:
		c.runningWord(in.A)
		c.anyOf()
	default:
		c.runningWord(in.A)
		c.oddOf()
	}
	c.resultWord(in)
}

// oddOf sets, in regTemp, all bits of the sub-groups that have an odd number of them.
func (c *compiler) oddOf() {
	c.scratch()
	field := c.lanesTable()
	done := c.NewLabel()
	for step := 1; step < wave.MaxLanes; step *= 2 {
		if step >= wave.MinLanes {
			c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(step))
			c.Jcc(amd64.BelowEqual, done)
		}
		c.G(amd64.MOV, amd64.B64, regWord, regTemp)
		c.G(amd64.SHR, amd64.B64, regWord, amd64.Imm(step))
		c.G(amd64.XOR, amd64.B64, regTemp, regWord)
	}
	c.Bind(done)
	c.G(amd64.MOV, amd64.B32, regWord, field(wave.LanesLast))
	c.G(amd64.AND, amd64.B64, regTemp, field(wave.LanesLow))
	c.V(amd64.SHLXQ, amd64.X, regWord2, regTemp, regWord)
	c.G(amd64.MOV, amd64.B64, regWord, field(wave.LanesTop))
	c.spreadTop(field)
}
