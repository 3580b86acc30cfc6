package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// This file has the proof that a hyperblock can be done straight (versioning.go), and what it is about.

// linear is an instruction whose result, of 32 bits, is a sum of ids and scalars, and the index of an access
// depends on it.
type linear struct {
	in   *isa.Inst
	kind x86.Kind // not KindAny
	// operands are those that are linear, or nil.
	operands [3]*linear
	// low and high hold the bounds in all lanes of the wave, as numbers of 64 bits with a sign; those of the
	// exact sum, which has the same lower 32 bits as the result.
	low, high amd64.Mem
	last      int       // the last step that reads reg, see lastReads
	reg       amd64.Reg // in the group that is being compiled: the result of the first lane; if NoReg, low has it
	freed     bool      // reg has been given back
}

// operand returns operand n of the instruction.
func (l *linear) operand(n int) isa.Reg { return [...]isa.Reg{l.in.A, l.in.B, l.in.C}[n] }

// spot is the elements that indices select.
type spot struct {
	slot  int
	index *linear
}

// accessed is an access to memory, or several loads of the same elements but for their displacement.
type accessed struct {
	spot
	at         int // the first instruction
	store      bool
	scale      uint32
	bias       uint32
	start, end int32 // from the element of the index, in bytes
}

// findLinear finds the instructions that indices depend on. It says whether those of all accesses are linear.
func (s *straight) findLinear() bool {
	code := s.Run.Code
	s.linears, s.indices = make([]*linear, len(code)), make([]*linear, len(code))
	needed := map[*linear]bool{}
	var need func(l *linear)
	need = func(l *linear) {
		if l == nil || needed[l] {
			return
		}
		needed[l] = true
		for _, o := range l.operands {
			need(o)
		}
	}
	now := map[x86.Place]*linear{}
	for i := range code {
		in := &code[i]
		if x86.AccessesMemory(in) {
			if !plan.Indexed(in) || in.Idx == isa.IdxNone || !in.B.IsVector() {
				return false
			}
			l := now[x86.Place{Bank: in.Idx.Type().Bank(), Index: in.B.Index()}]
			s.Index = i
			if l == nil || in.Op == isa.OpStore && (l.kind == x86.KindSame || s.Stride(in) != 1) || l.kind == x86.KindNext && s.Stride(in) == 0 {
				return false
			}
			s.indices[i] = l
			need(l)
			s.note(i)
		}
		if in.Op == isa.OpBuiltin && isa.Builtin(in.Imm).PerLane() && !s.noteIDs(x86.ArrayOf(isa.Builtin(in.Imm))) {
			return false
		}
		if d, t := s.Run.Kernel().Operands(in, func(isa.Reg, isa.Type) {}); d.IsVector() {
			s.linears[i] = linearOf(s.Compiler, i, now)
			now[x86.Place{Bank: t.Bank(), Index: d.Index()}] = s.linears[i]
		}
	}
	for i, l := range s.linears {
		if l != nil && !needed[l] {
			s.linears[i] = nil
		}
	}
	for _, l := range s.linears {
		if l == nil {
			continue
		}
		if s.used+3 > maxUsed { // there is to be one left, see straight.chunks
			return false
		}
		l.low, l.high = s.use(), s.use()
	}
	return len(s.bounds) > 0
}

// lastReads finds the last step at which each linear result is read from its register. Vectors made from it
// are read from there too, so that it goes by the events: these have all that reads a place, also what is no
// instruction of the run (scheduleEnd).
func (s *straight) lastReads() {
	for i, l := range s.linears {
		if l == nil {
			continue
		}
		l.last = i
		events := s.Events[x86.Place{Bank: isa.Bank32, Index: l.in.Dst.Index()}]
		n := slices.Index(events, x86.Event{At: i, Write: true})
		for _, e := range events[n+1:] {
			if e.Write {
				break
			}
			if !l.fromIDs() || e.At < len(s.linears) && (s.linears[e.At] != nil || s.indices[e.At] == l) {
				l.last = e.At
			}
		}
	}
}

// linearOf returns what is linear of instruction at, or nil, given the values that are so now.
func linearOf(c *x86.Compiler, at int, now map[x86.Place]*linear) *linear {
	in := &c.Run.Code[at]
	if in.Type != isa.I32 {
		return nil
	}
	l := &linear{in: in}
	var kinds []x86.Kind
	for n := range arity(in.Op) {
		r := l.operand(n)
		if r.IsScalar() {
			kinds = append(kinds, x86.KindSame)
			continue
		}
		if l.operands[n] = now[x86.Place{Bank: isa.Bank32, Index: r.Index()}]; l.operands[n] == nil {
			return nil
		}
		kinds = append(kinds, l.operands[n].kind)
	}
	switch in.Op {
	case isa.OpBuiltin:
		if b := isa.Builtin(in.Imm); b >= isa.BuiltinGroupID { // behind local and global ids
			return nil
		}
	case isa.OpShl:
		if n, ok := c.Constant(in.B); !ok || n > 30 {
			return nil
		}
	case isa.OpMov, isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpMad:
	default:
		return nil
	}
	if l.kind = x86.KindOf(in, kinds); l.kind == x86.KindAny {
		return nil
	}
	return l
}

// arity returns how many operands the instructions have that linearOf knows.
func arity(op isa.Op) int {
	switch op {
	case isa.OpMov:
		return 1
	case isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpShl:
		return 2
	case isa.OpMad:
		return 3
	}
	return 0
}

// note adds an access to the bounds.
func (s *straight) note(i int) {
	in := &s.Run.Code[i]
	s.Index = i
	at := spot{s.Run.Slots[i], s.indices[i]}
	start := s.FromIndex(in)
	end := start + int32(in.Type.Bytes())
	for n := range s.bounds {
		if b := &s.bounds[n]; b.spot == at && !b.store && in.Op == isa.OpLoad && b.bias == s.Run.Bias[i] {
			b.start, b.end = min(b.start, start), max(b.end, end)
			return
		}
	}
	s.bounds = append(s.bounds, accessed{spot: at, at: i, store: in.Op == isa.OpStore, scale: in.Scale, bias: s.Run.Bias[i], start: start, end: end})
}

// prove emits the proof that nothing can go wrong. For kernels whose scalars are the same in all work-groups
// of a row, that is done for all of the row that machine code may go on with at first, and then only where
// this fails for each group.
func (s *straight) prove(no amd64.Label) {
	bit := -1
	if s.sameInRow() && s.kernel.proofs < 64 && s.used+3 <= maxUsed {
		bit = s.kernel.proofs
		s.kernel.proofs++
	}
	proven, again, not := s.NewLabel(), s.NewLabel(), no
	if bit >= 0 {
		not = s.NewLabel()
		s.G(amd64.BT, amd64.B64, x86.Field(wave.FrameProven), amd64.Imm(bit))
		s.Jcc(amd64.Carry, proven)
	}
	s.G(amd64.CMP, amd64.B64, x86.Field(wave.FrameRows), amd64.Imm(0))
	s.Jcc(amd64.Equal, no)
	var all amd64.Mem
	if bit >= 0 {
		reach := s.use()
		s.reach, all = &reach, s.use()
		s.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Field(wave.FrameMore))
		s.G(amd64.IMUL, amd64.B64, x86.RegTemp, x86.BuiltinField(isa.BuiltinLocalSize))
		s.G(amd64.MOV, amd64.B64, reach, x86.RegTemp)
		s.G(amd64.MOV, amd64.B64, all, amd64.Imm(1))
		s.Bind(again)
	}
	for _, l := range s.linears {
		if l != nil {
			s.bound(l, not)
		}
	}
	for i := range s.bounds {
		s.within(&s.bounds[i], not)
	}
	for i := range s.bounds {
		if s.bounds[i].store {
			s.separate(i, not)
		}
	}
	if bit < 0 {
		return
	}
	s.G(amd64.MOV, amd64.B64, x86.RegTemp, all)
	s.G(amd64.SHL, amd64.B64, x86.RegTemp, amd64.Imm(bit))
	s.G(amd64.OR, amd64.B64, x86.Field(wave.FrameProven), x86.RegTemp)
	s.Bind(proven)
	s.Later(func() {
		s.Bind(not)
		s.G(amd64.CMP, amd64.B64, all, amd64.Imm(0))
		s.Jcc(amd64.Equal, no)
		s.G(amd64.MOV, amd64.B64, all, amd64.Imm(0))
		s.G(amd64.MOV, amd64.B64, *s.reach, amd64.Imm(0))
		s.Jmp(again)
	})
}

// sameInRow says whether the pointers, and the scalars that indices depend on, are the same in all
// work-groups of a row.
func (s *straight) sameInRow() bool {
	for i := range s.Run.Places {
		if !s.Run.Places[i].Fixed {
			return false
		}
	}
	changes := map[isa.Reg]bool{}
	code := s.Run.Kernel().Code
	for i := range code {
		if d := code[i].Dst; d.IsScalar() {
			changes[d] = true
		}
	}
	for i := range s.h.Scalars {
		in := s.h.Scalars[i].Scalar
		varies := x86.AccessesMemory(in) || in.Op == isa.OpBuiltin && isa.Builtin(in.Imm) >= isa.BuiltinGroupID && isa.Builtin(in.Imm) < isa.BuiltinNumGroups
		s.Run.Kernel().Operands(in, func(r isa.Reg, _ isa.Type) { varies = varies || changes[r] })
		changes[in.Dst] = varies
	}
	for _, l := range s.linears {
		if l == nil {
			continue
		}
		for n := range arity(l.in.Op) {
			if l.operands[n] == nil && changes[l.operand(n)] {
				return false
			}
		}
	}
	return true
}

// bound works out the bounds of a result.
func (s *straight) bound(l *linear, no amd64.Label) {
	in := l.in
	switch in.Op {
	case isa.OpBuiltin:
		b := isa.Builtin(in.Imm)
		dim := int(b) % 3 // local ids come first, then global ones
		if b >= isa.BuiltinGlobalID {
			s.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Field(wave.FrameOrigin+8*uintptr(dim)))
		} else {
			s.G(amd64.XOR, amd64.B32, x86.RegTemp, x86.RegTemp)
		}
		s.G(amd64.MOV, amd64.B64, l.low, x86.RegTemp)
		s.G(amd64.ADD, amd64.B64, x86.RegTemp, x86.BuiltinField(isa.BuiltinLocalSize+isa.Builtin(dim)))
		s.Jcc(amd64.Overflow, no)
		if dim == 0 && s.reach != nil {
			s.G(amd64.ADD, amd64.B64, x86.RegTemp, *s.reach)
			s.Jcc(amd64.Overflow, no)
		}
		s.G(amd64.SUB, amd64.B64, x86.RegTemp, amd64.Imm(1))
		s.G(amd64.MOV, amd64.B64, l.high, x86.RegTemp)
	case isa.OpMov:
		s.sum(l, func(high bool) { s.put(x86.RegTemp, l, 0, high) })
	case isa.OpAdd, isa.OpSub:
		op, other := amd64.ADD, false
		if in.Op == isa.OpSub {
			op, other = amd64.SUB, true
		}
		s.sum(l, func(high bool) {
			s.put(x86.RegTemp, l, 0, high)
			s.put(x86.RegAddress, l, 1, high != other)
			s.G(op, amd64.B64, x86.RegTemp, x86.RegAddress)
			s.Jcc(amd64.Overflow, no)
		})
	case isa.OpShl:
		n, _ := s.Constant(in.B)
		s.sum(l, func(high bool) {
			s.put(x86.RegTemp, l, 0, high)
			s.G(amd64.IMUL, amd64.B64, x86.RegTemp, x86.RegTemp, amd64.Imm(int64(1)<<n))
			s.Jcc(amd64.Overflow, no)
		})
	case isa.OpMul, isa.OpMad:
		s.notNegative(l, no)
		s.sum(l, func(high bool) {
			s.put(x86.RegTemp, l, 0, high)
			s.put(x86.RegAddress, l, 1, high)
			s.G(amd64.IMUL, amd64.B64, x86.RegTemp, x86.RegAddress)
			s.Jcc(amd64.Overflow, no)
			if in.Op == isa.OpMad {
				s.put(x86.RegAddress, l, 2, high)
				s.G(amd64.ADD, amd64.B64, x86.RegTemp, x86.RegAddress)
				s.Jcc(amd64.Overflow, no)
			}
		})
	}
}

// sum emits what works out both bounds, in RegTemp.
func (s *straight) sum(l *linear, bound func(high bool)) {
	bound(false)
	s.G(amd64.MOV, amd64.B64, l.low, x86.RegTemp)
	bound(true)
	s.G(amd64.MOV, amd64.B64, l.high, x86.RegTemp)
}

// put loads a bound of operand n.
func (s *straight) put(r amd64.Reg, l *linear, n int, high bool) {
	o := l.operands[n]
	switch {
	case o == nil:
		s.G(amd64.MOVSX32, amd64.B64, r, x86.Scalar(l.operand(n)))
	case high:
		s.G(amd64.MOV, amd64.B64, r, o.high)
	default:
		s.G(amd64.MOV, amd64.B64, r, o.low)
	}
}

// notNegative goes to no if the bounds of a product are not the products of the bounds.
func (s *straight) notNegative(l *linear, no amd64.Label) {
	for n := range 2 {
		if l.operands[n] == nil || l.operands[1-n] != nil {
			s.put(x86.RegTemp, l, n, false)
			s.G(amd64.TEST, amd64.B64, x86.RegTemp, x86.RegTemp)
			s.Jcc(amd64.Sign, no)
		}
	}
}

// within goes to no unless all indices of an access are within the limit.
func (s *straight) within(b *accessed, no amd64.Label) {
	s.G(amd64.MOV, amd64.B64, x86.RegTemp, b.index.low)
	s.G(amd64.MOV, amd64.B64, x86.RegAddress, b.index.high)
	if b.bias != 0 {
		s.G(amd64.SUB, amd64.B64, x86.RegTemp, amd64.Imm(b.bias))
		s.Jcc(amd64.Overflow, no)
		s.G(amd64.SUB, amd64.B64, x86.RegAddress, amd64.Imm(b.bias)) // not less than that
	}
	s.G(amd64.TEST, amd64.B64, x86.RegTemp, x86.RegTemp)
	s.Jcc(amd64.Sign, no)
	s.G(amd64.CMP, amd64.B64, x86.RegAddress, x86.SlotField(b.slot, wave.SlotLimit))
	s.Jcc(amd64.Above, no)
}

// separate goes to no if a store may have to do with another access.
func (s *straight) separate(store int, no amd64.Label) {
	b := &s.bounds[store]
	s.edge(amd64.R14, b, false)
	s.edge(amd64.R15, b, true)
	for i := range s.bounds {
		other := &s.bounds[i]
		if other.store && i <= store {
			continue
		}
		apart, overlap := s.NewLabel(), no
		if s.sameElements(b, other) {
			overlap = s.NewLabel()
		}
		s.edge(x86.RegTemp, other, false)
		s.G(amd64.CMP, amd64.B64, x86.RegTemp, amd64.R15)
		s.Jcc(amd64.AboveEqual, apart)
		s.edge(x86.RegTemp, other, true)
		s.G(amd64.CMP, amd64.B64, x86.RegTemp, amd64.R14)
		s.Jcc(amd64.Above, overlap)
		if overlap != no {
			s.Later(func() {
				// Each lane has an element of its own if there is one row of them.
				s.Bind(overlap)
				s.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.BuiltinField(isa.BuiltinLocalSize+1))
				s.G(amd64.IMUL, amd64.B64, x86.RegTemp, x86.BuiltinField(isa.BuiltinLocalSize+2))
				s.G(amd64.CMP, amd64.B64, x86.RegTemp, amd64.Imm(1))
				s.Jcc(amd64.Equal, apart)
				s.Jmp(no)
			})
		}
		s.Bind(apart)
	}
}

// sameElements says whether an access is of the element that the lane stores to, if the memory of both overlaps
// at all: a load, which comes before the store as a hyperblock has no load behind a store to the same memory,
// or another store, in the other branch perhaps, which stays in its order.
func (s *straight) sameElements(store, other *accessed) bool {
	a, b := &s.Run.Code[other.at], &s.Run.Code[store.at]
	return other.index == store.index && other.end-other.start == store.end-store.start &&
		a.A == b.A && a.Scale == b.Scale && a.Disp == b.Disp
}

// edge puts into r where the memory begins or ends that is accessed.
func (s *straight) edge(r amd64.Reg, b *accessed, end bool) {
	bound, disp := b.index.low, b.start
	if end {
		bound, disp = b.index.high, b.end
	}
	s.G(amd64.MOV, amd64.B64, r, bound)
	s.G(amd64.MOV, amd64.B64, x86.RegAddress, x86.SlotField(b.slot, wave.SlotAddress))
	s.G(amd64.LEA, amd64.B64, r, amd64.Mem{Base: x86.RegAddress, Index: r, Scale: s.scaleOf(r, b.scale), Disp: disp})
}

// scaleOf returns the processor's scale of an index in r, which it multiplies where the processor does not have
// that scale.
func (s *straight) scaleOf(r amd64.Reg, scale uint32) uint8 {
	if x86.Addressable(scale) {
		return uint8(scale)
	}
	s.ByScale(r, scale)
	return 1
}
