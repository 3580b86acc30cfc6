package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// fresh returns a vector register that has a value from now on, until the block ends. Who writes it has
// to do so with FlagDense, or not: both are right.
func (g *generator) fresh(t isa.Type) isa.Reg {
	b := t.Bank()
	r := isa.V(passingBase + g.used[b])
	g.used[b]++
	g.most[b] = max(g.most[b], g.used[b])
	g.locals[b] = append(g.locals[b], r)
	return r
}

// scalar returns a scalar register of a width.
func (g *generator) scalar(width int) isa.Reg {
	list := g.fixed[width]
	n := g.n(len(list) + len(g.changing[width]))
	if n < len(list) {
		return list[n]
	}
	return g.changing[width][n-len(list)]
}

// vector returns a vector register with a value, more often one that was written lately.
func (g *generator) vector(t isa.Type) isa.Reg {
	b := t.Bank()
	if r := g.recent[b]; len(r) > 0 && g.n(2) == 0 {
		return r[len(r)-1-g.n(min(len(r), 4))]
	}
	lasting := g.lastingOf(b)
	all := len(lasting) + len(g.locals[b])
	if all == 0 {
		return isa.V(genLane)
	}
	n := g.n(all)
	if n < len(lasting) {
		return lasting[n]
	}
	return g.locals[b][n-len(lasting)]
}

// lastingOf returns the lasting registers of a bank that are in use: few in a loop that only computes, so
// that they may stay in machine registers.
func (g *generator) lastingOf(b isa.Bank) []isa.Reg {
	list := g.lasting[b]
	switch {
	case !g.pure:
		return list
	case b == isa.BankMask && g.walks == nil:
		return nil
	}
	return list[:min(len(list), 3)]
}

// operand returns a register that holds a value of the type.
func (g *generator) operand(t isa.Type) isa.Reg {
	if g.once(6) || g.pure && t == isa.B1 && len(g.locals[isa.BankMask]) == 0 {
		return g.scalar(t.Bits())
	}
	return g.vector(t)
}

// result chooses the vector register that an instruction writes. To be called after its operands are chosen.
func (g *generator) result(in *isa.Inst, t isa.Type) {
	b := t.Bank()
	switch n := g.n(5); {
	case n < 2 && len(g.lastingOf(b)) > 0:
		in.Dst = g.lastingOf(b)[g.n(len(g.lastingOf(b)))]
	case n == 2 && len(g.locals[b]) > 0:
		in.Dst = g.locals[b][g.n(len(g.locals[b]))]
		in.Flags |= isa.FlagDense
	default:
		in.Dst = g.fresh(t)
		if g.n(4) > 0 {
			in.Flags |= isa.FlagDense
		}
	}
	g.recent[b] = append(g.recent[b], in.Dst)
}

// straight emits n or more instructions.
func (g *generator) straight(n int) {
	for range n {
		kinds := 40
		if g.pure {
			kinds = 25
			if g.walks != nil && g.once(5) {
				if len(g.pointerWalks) > 0 && g.n(3) == 0 {
					g.readPointer()
					continue
				}
				g.read()
				continue
			}
		}
		switch kind := g.n(kinds); {
		case kind < 13:
			g.compute(intOps)
		case kind < 19:
			g.compute(floatOps)
		case kind < 22:
			g.compute(otherOps)
		case kind < 25:
			g.convert()
		case kind < 33:
			g.access()
		case kind == 33:
			g.atomic()
		case kind == 34:
			g.cross()
		case kind == 35:
			g.builtin()
		case kind == 36:
			g.divide()
		case kind == 37:
			g.rare()
		case kind == 38:
			g.math()
		default:
			if g.once(6) {
				g.web()
			} else {
				g.compute(intOps)
			}
		}
	}
}

// The opcodes that only compute, by kind.
var intOps, floatOps, otherOps = func() (ints, floats, others []isa.Op) {
	for op := isa.OpInvalid + 1; op < isa.NumOps; op++ {
		switch op {
		case isa.OpReadFirst, isa.OpDivS, isa.OpDivU, isa.OpRemS, isa.OpRemU, isa.OpModS, isa.OpMath1, isa.OpMath2, isa.OpMath3, isa.OpBroadcastFirst:
			continue
		case isa.OpMov, isa.OpSelect:
			others = append(others, op)
			continue
		}
		switch op.Info().Shape {
		case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad, isa.ShapeCompare:
			if op.Info().Types&isa.SetFloat != 0 {
				floats = append(floats, op)
			} else {
				ints = append(ints, op)
			}
			if op.Info().Types&isa.SetBool != 0 {
				others = append(others, op)
			}
		}
	}
	return
}()

// of chooses a type of a set: mostly one of 32 bits.
func (g *generator) of(set isa.TypeSet) isa.Type {
	for range 2 {
		for _, t := range []isa.Type{isa.I32, isa.F32} {
			if set.Has(t) && g.n(3) == 0 {
				return t
			}
		}
	}
	for {
		t := isa.Type(1 + g.n(int(isa.F64)))
		if set.Has(t) && (!g.pure || t.Bits() >= 32 || set&(isa.SetFloat|1<<isa.I32) == 0 || g.once(30)) {
			return t
		}
	}
}

// compute emits one of some instructions.
func (g *generator) compute(list []isa.Op) {
	op := list[g.n(len(list))]
	inf := op.Info()
	in := isa.Inst{Op: op, Type: g.of(inf.Types)}
	types, n, t := [4]isa.Type{in.Type, in.Type, in.Type, in.Type}, 2, in.Type
	switch inf.Shape {
	case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad:
		n = 1 + int(inf.Shape-isa.ShapeUnary)
	case isa.ShapeSelect:
		types[0], n = isa.B1, 3
	case isa.ShapeCompare:
		t = isa.B1
	}
	if op == isa.OpBitInsert || op == isa.OpBitExtractS || op == isa.OpBitExtractU {
		// Offset and count that exist: others are not defined.
		g.bitField(in, n)
		return
	}
	g.fill(&in, types, n, t)
	g.emit(in)
}

// fill chooses registers for n operands, and one for the result.
func (g *generator) fill(in *isa.Inst, types [4]isa.Type, n int, result isa.Type) {
	scalars := g.once(10)
	for i, r := range []*isa.Reg{&in.A, &in.B, &in.C, &in.D}[:n] {
		if scalars {
			*r = g.scalar(types[i].Bits())
		} else {
			*r = g.operand(types[i])
		}
	}
	if scalars && g.n(3) > 0 {
		g.resultScalar(in, result)
		return
	}
	g.result(in, result)
}

// resultScalar chooses the scalar register that an instruction writes.
func (g *generator) resultScalar(in *isa.Inst, t isa.Type) {
	list := g.changing[t.Bits()]
	if len(list) < 4 {
		in.Dst = g.variable(t.Bits())
		return
	}
	in.Dst = list[g.n(len(list))]
}

// bitField emits an insertion or extraction of bits.
func (g *generator) bitField(in isa.Inst, n int) {
	w := in.Type.Bits()
	from := g.n(w)
	count := g.n(w - from + 1)
	at, number := g.constant(uint64(from)), g.constant(uint64(count))
	if g.n(2) == 0 {
		at = g.masked(in.Type, uint64(w/2-1))
		number = g.masked(in.Type, uint64(w/2-1))
	}
	in.A = g.operand(in.Type)
	if n == 4 {
		in.B, in.C, in.D = g.operand(in.Type), at, number
	} else {
		in.B, in.C = at, number
	}
	g.result(&in, in.Type)
	g.emit(in)
}

// masked returns a new register with some value and mask.
func (g *generator) masked(t isa.Type, mask uint64) isa.Reg {
	in := isa.Inst{Op: isa.OpAnd, Type: t, A: g.vector(t), B: g.constant(mask), Flags: isa.FlagDense}
	in.Dst = g.fresh(t)
	g.emit(in)
	return in.Dst
}

// convert emits a conversion.
func (g *generator) convert() {
	op := []isa.Op{isa.OpTruncate, isa.OpSExt, isa.OpZExt, isa.OpSToF, isa.OpUToF, isa.OpFToS, isa.OpFToU, isa.OpFToF}[g.n(8)]
	in := isa.Inst{Op: op, Type: g.of(op.Info().Types), Type2: g.of(op.Info().Src)}
	switch a, b := in.Type.Bits(), in.Type2.Bits(); {
	case op == isa.OpTruncate && a >= b, (op == isa.OpSExt || op == isa.OpZExt) && a <= b:
		return
	}
	if op >= isa.OpSToF {
		in.Flags = in.Flags.WithRound(isa.Round(g.n(5)))
	}
	if (op == isa.OpFToS || op == isa.OpFToU) && g.n(2) == 0 {
		in.Flags |= isa.FlagSat
	}
	g.fill(&in, [4]isa.Type{in.Type2}, 1, in.Type)
	g.emit(in)
}

// divide emits a division, nearly always by a number other than 0.
func (g *generator) divide() {
	in := isa.Inst{Op: isa.OpDivS + isa.Op(g.n(5)), Type: g.of(isa.SetInt)}
	in.A = g.operand(in.Type)
	switch {
	case g.n(3) == 0:
		in.B = g.constant((g.bits() | 1) & (1<<in.Type.Bits() - 1))
	case g.once(40):
		in.B = g.operand(in.Type)
	default:
		or := isa.Inst{Op: isa.OpOr, Type: in.Type, A: g.vector(in.Type), B: g.constant(1), Flags: isa.FlagDense}
		or.Dst = g.fresh(in.Type)
		g.emit(or)
		in.B = or.Dst
	}
	if in.A.IsScalar() && in.B.IsScalar() && g.n(2) == 0 {
		g.resultScalar(&in, in.Type)
	} else {
		g.result(&in, in.Type)
	}
	g.emit(in)
}

// mathFuncs has what Inst.Imm may be, by number of operands, for each of F32 and F64.
var mathFuncs = func() (list [4][]uint32) {
	for f := range uint32(clmath.NumFuncs) {
		pair := clmath.Pair32[f] != nil || clmath.PairInt32[f] != nil
		switch {
		case pair:
			list[1] = append(list[1], f, f|isa.MathStored)
		case clmath.Unary32[f] != nil, clmath.Func(f) == clmath.FuncIlogb, clmath.Func(f) == clmath.FuncNan:
			list[1] = append(list[1], f)
		}
		switch {
		case clmath.Func(f) == clmath.FuncRemquo:
			list[2] = append(list[2], f, f|isa.MathStored)
		case clmath.WithInt32[f] != nil, clmath.Binary32[f] != nil:
			list[2] = append(list[2], f)
		}
		if clmath.Ternary32[f] != nil {
			list[3] = append(list[3], f)
		}
	}
	return
}()

// math emits a call of a mathematical function.
func (g *generator) math() {
	n := []int{1, 1, 1, 2, 2, 3}[g.n(6)]
	in := isa.Inst{Op: isa.OpMath1 + isa.Op(n-1), Type: isa.F32, Imm: mathFuncs[n][g.n(len(mathFuncs[n]))]}
	if g.once(3) {
		in.Type = isa.F64
	}
	t := in.Type
	g.fill(&in, [4]isa.Type{t, t, t}, n, t)
	g.emit(in)
}

// builtin emits the reading of a built-in.
func (g *generator) builtin() {
	in := isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Imm: uint32(g.n(int(isa.NumBuiltins)))}
	if g.n(2) == 0 {
		in.Type = isa.I64
	}
	if !isa.Builtin(in.Imm).PerLane() && g.n(2) == 0 {
		g.resultScalar(&in, in.Type)
	} else {
		g.result(&in, in.Type)
	}
	g.emit(in)
}

// cross emits an operation across lanes.
func (g *generator) cross() {
	in := isa.Inst{Op: []isa.Op{isa.OpShuffle, isa.OpShuffle2, isa.OpBallot, isa.OpVote, isa.OpElect, isa.OpBroadcastFirst, isa.OpScan, isa.OpMatch, isa.OpReadFirst}[g.n(9)]}
	t := g.of(isa.SetAll)
	in.Type = t
	result := t
	index := func() isa.Reg {
		if g.once(4) {
			return g.operand(isa.I32)
		}
		return g.masked(isa.I32, uint64(4<<g.n(6)-1))
	}
	switch in.Op {
	case isa.OpShuffle:
		in.A, in.B, in.Imm = g.operand(t), index(), isa.ShuffleLoose
	case isa.OpShuffle2:
		in.A, in.B, in.C, in.Imm = g.operand(t), g.operand(t), index(), isa.ShuffleLoose
	case isa.OpBallot:
		in.Type, result = isa.B1, isa.I32
		in.A, in.Imm = g.operand(isa.B1), uint32(g.n(isa.MaxBallotWords))
	case isa.OpMatch:
		if t.Bits() > 8 && t.IsInt() && g.n(2) == 0 {
			in.A = g.masked(t, 3)
		} else {
			in.A = g.operand(t)
		}
		in.Imm, result = uint32(g.n(isa.MaxBallotWords)), isa.I32
	case isa.OpVote:
		in.Imm, result = uint32(g.n(int(isa.NumVotes))), isa.B1
		if isa.Vote(in.Imm) != isa.VoteAllEqual {
			in.Type = isa.B1
		}
		in.A = g.operand(in.Type)
	case isa.OpElect:
		in.Type, result = isa.Void, isa.B1
	case isa.OpBroadcastFirst:
		in.A = g.operand(t)
	case isa.OpScan:
		op := isa.ScanOp(g.n(int(isa.NumScanOps)))
		in.Type = g.of(op.Types())
		result = in.Type
		in.A, in.Imm = g.operand(in.Type), isa.ScanImm(isa.ScanKind(g.n(int(isa.NumScanKinds))), op)
		switch g.n(4) {
		case 0:
			in.B = g.masked(isa.I32, 3)
		case 1:
			in.Scale = 1 << g.n(6)
		}
	case isa.OpReadFirst:
		in.A = g.vector(t)
		g.resultScalar(&in, t)
		g.emit(in)
		return
	}
	g.result(&in, result)
	g.emit(in)
}

// rare emits what kernels seldom have.
func (g *generator) rare() {
	switch g.n(7) {
	case 0:
		g.copyBytes()
	case 1, 2:
		g.block16()
	case 3:
		g.emit(isa.Inst{Op: isa.OpFence, Imm2: uint8(g.n(5))})
	case 4:
		if g.depth == 0 {
			t := [...]isa.Type{isa.I32, isa.I64, isa.F32, isa.F64}[g.n(4)]
			format := "%d "
			if t.IsFloat() {
				format = "%a "
			}
			g.kernel.Printfs = append(g.kernel.Printfs, isa.Printf{Format: format, Args: []isa.PrintfArg{{Type: t, Regs: []isa.Reg{g.operand(t)}}}})
			g.emit(isa.Inst{Op: isa.OpPrintf, Imm: uint32(len(g.kernel.Printfs) - 1)})
		}
	default:
		g.pointers()
	}
}

// web emits so many results, all used afterwards, that machine registers do not suffice.
func (g *generator) web() {
	t := [...]isa.Type{isa.I32, isa.I64, isa.F32, isa.I32, isa.I16, isa.B1}[g.n(6)]
	it := isa.IntOf(t.Bits())
	var list []isa.Reg
	number := 24 + g.n(30)
	var lanes isa.Reg // of shuffles
	if !g.pure && t != isa.I16 && t != isa.B1 && g.n(3) == 0 {
		number, lanes = 6+g.n(8), g.masked(isa.I32, uint64(4<<g.n(4)-1))
	}
	for range number {
		in := isa.Inst{Op: isa.OpXor, Type: it, A: g.vector(it), B: g.operand(it), Flags: isa.FlagDense}
		if t.IsFloat() {
			in.Op, in.Type = isa.OpFAdd, t
		}
		if lanes != isa.None {
			in.Op, in.B, in.Imm = isa.OpShuffle, lanes, isa.ShuffleLoose
		}
		in.Dst = g.fresh(t)
		list = append(list, in.Dst)
		g.emit(in)
	}
	for len(list) > 0 {
		i := g.n(len(list))
		in := isa.Inst{Op: isa.OpXor, Type: it, A: g.lasting[t.Bank()][g.n(len(g.lasting[t.Bank()]))], B: list[i]}
		in.Dst = in.A
		g.emit(in)
		list[i] = list[len(list)-1]
		list = list[:len(list)-1]
	}
}

// operands calls f for each register of an instruction of a generated kernel, with its type; the result last.
func operands(in *isa.Inst, f func(*isa.Reg, isa.Type)) {
	use := func(r *isa.Reg, t isa.Type) {
		if *r != isa.None {
			f(r, t)
		}
	}
	t, dst := in.Type, in.Type
	switch inf := in.Op.Info(); inf.Shape {
	case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad, isa.ShapeCompare, isa.ShapeBallot, isa.ShapeVote:
		use(&in.A, t)
		use(&in.B, t)
		use(&in.C, t)
		use(&in.D, t)
		switch inf.Shape {
		case isa.ShapeCompare, isa.ShapeVote:
			dst = isa.B1
		case isa.ShapeBallot:
			dst = isa.I32
		}
	case isa.ShapeSelect:
		use(&in.A, isa.B1)
		use(&in.B, t)
		use(&in.C, t)
	case isa.ShapeConvert:
		use(&in.A, in.Type2)
	case isa.ShapePtrDiff, isa.ShapeMemCopy:
		use(&in.A, isa.I64)
		use(&in.B, isa.I64)
		use(&in.C, isa.I64)
	case isa.ShapePtrAdd, isa.ShapeLoad, isa.ShapeStore, isa.ShapeAtomic, isa.ShapeBlockLoad, isa.ShapeBlockStore:
		use(&in.A, isa.I64)
		use(&in.B, in.Idx.Type())
		use(&in.C, t)
		use(&in.D, t)
	case isa.ShapeShuffle, isa.ShapeScan:
		use(&in.A, t)
		use(&in.B, isa.I32)
	case isa.ShapeShuffle2:
		use(&in.A, t)
		use(&in.B, t)
		use(&in.C, isa.I32)
	case isa.ShapeElect:
		dst = isa.B1
	case isa.ShapeClock:
		dst = isa.I64
	case isa.ShapeBrCond:
		use(&in.A, isa.B1)
	case isa.ShapeSwitch:
		use(&in.A, t)
	}
	use(&in.Dst, dst)
}
