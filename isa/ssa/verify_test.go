package ssa

import (
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// sample is a kernel with a diamond in a loop:
//
//	b0 → b1 → b2 → b4 → b1
//	      ↓ ↘ b3 ↗
//	      (b2, b3 part at b1; b4 leaves to b5)
type sample struct {
	f                   *Func
	blocks              [6]*Block
	phi, join, add, cmp *Value
	load, store, id     *Value
}

func newSample() *sample {
	s := &sample{f: NewFunc(&isa.Kernel{})}
	f := s.f
	for i := range s.blocks {
		s.blocks[i] = f.NewBlock("")
	}
	at := func(i int, v *Value) *Value {
		v.Block = s.blocks[i]
		if v.Op == OpPhi {
			v.Block.Phis = append(v.Block.Phis, v)
		} else {
			v.Block.Insts = append(v.Block.Insts, v)
		}
		return v
	}
	br := func(i int, to ...int) {
		b := s.blocks[i]
		b.Term = TermBr
		if len(to) == 2 {
			b.Term = TermCond
		}
		for _, t := range to {
			Link(b, s.blocks[t])
		}
	}
	s.id = at(0, f.NewValue(isa.OpBuiltin, isa.I32, isa.I32))
	br(0, 1)
	br(1, 2, 3)
	br(2, 4)
	br(3, 4)
	br(4, 1, 5)
	s.blocks[5].Term = TermRet
	s.phi = at(1, f.NewValue(OpPhi, isa.I32, isa.I32, f.Constant(isa.I32, 0), nil))
	s.cmp = at(1, f.NewValue(isa.OpLtU, isa.B1, isa.I32, s.phi, s.id))
	s.blocks[1].Cond = s.cmp
	s.add = at(2, f.NewValue(isa.OpAdd, isa.I32, isa.I32, s.phi, s.id))
	p := f.NewValue(OpParam, isa.I64, isa.I64)
	s.load = at(3, f.NewValue(isa.OpLoad, isa.I32, isa.I32, p))
	s.join = at(4, f.NewValue(OpPhi, isa.I32, isa.I32, s.add, s.load))
	s.phi.Args[1] = s.join
	s.store = at(4, f.NewValue(isa.OpStore, isa.Void, isa.I32, p, s.join))
	s.blocks[4].Cond = at(4, f.NewValue(isa.OpNe, isa.B1, isa.I32, s.join, s.id))
	return s
}

// TestVerify breaks a kernel in each way that the verifier looks for.
func TestVerify(t *testing.T) {
	if err := newSample().f.Verify(); err != nil {
		t.Fatal(err)
	}
	wide := func(s *sample) *Value { return s.f.Constant(isa.I64, 1) }
	for _, x := range []struct {
		name, want string
		change     func(*sample)
	}{
		{"no blocks", "no block", func(s *sample) { s.f.Blocks = nil }},
		{"a block twice", "there twice", func(s *sample) { s.f.Blocks = append(s.f.Blocks, s.blocks[2]) }},
		{"an edge to the entry", "lead to the entry", func(s *sample) { s.blocks[0].Preds = s.blocks[:1] }},
		{"an edge unknown at its end", "which does not know it", func(s *sample) { s.blocks[2].Preds = nil }},
		{"an edge unknown at its start", "does not lead here", func(s *sample) { s.blocks[5].Preds = append(s.blocks[5].Preds, s.blocks[2]) }},
		{"two edges", "two edges lead to", func(s *sample) { s.blocks[1].Succs[1] = s.blocks[2]; s.blocks[2].Preds = s.blocks[1:2] }},
		{"two edges back", "two edges come from", func(s *sample) { s.blocks[5].Preds = append(s.blocks[5].Preds, s.blocks[4]) }},
		{"an edge to a block that is gone", "which is gone", func(s *sample) { s.f.Blocks = s.f.Blocks[:5] }},
		{"a block that nobody reaches", "cannot be reached", func(s *sample) { s.f.NewBlock("").Term = TermRet }},
		{"no terminator", "no terminator", func(s *sample) { s.blocks[5].Term = TermNone }},
		{"successors", "successors where", func(s *sample) { s.blocks[4].Term = TermBr; s.blocks[4].Cond = nil }},
		{"a branch without operand", "without its operand", func(s *sample) { s.blocks[1].Cond = nil }},
		{"a return with an operand", "that takes none", func(s *sample) { s.blocks[5].Cond = s.cmp }},
		{"a condition that is a number", "condition of type i32", func(s *sample) { s.blocks[4].Cond = s.join }},
		{"a switch without ways", "cases", func(s *sample) { s.blocks[1].Term = TermSwitch; s.blocks[1].Table = &SwitchTable{Cases: []uint64{1}} }},
		{"a switch to nowhere", "leads to successor 2", func(s *sample) {
			b := s.blocks[1]
			b.Term, b.Cond, b.Table = TermSwitch, s.phi, &SwitchTable{[]uint64{1}, []int{2}}
		}},
		{"a switch over a boolean", "switch over b1", func(s *sample) {
			b := s.blocks[1]
			b.Term, b.Table = TermSwitch, &SwitchTable{[]uint64{1}, []int{1}}
		}},
		{"a value in two blocks", "stands in block", func(s *sample) { s.blocks[3].Insts = append(s.blocks[3].Insts, s.add) }},
		{"a value that is elsewhere", "does not know that it is in this block", func(s *sample) { s.add.Block = s.blocks[3] }},
		{"a value that was replaced", "was replaced", func(s *sample) { s.add.Repl = s.id }},
		{"a phi among instructions", "wrong list", func(s *sample) {
			s.blocks[4].Insts = append(s.blocks[4].Insts, s.join)
			s.blocks[4].Phis = nil
		}},
		{"a constant in a block", "needs no place", func(s *sample) {
			c := wide(s)
			c.Block = s.blocks[2]
			s.blocks[2].Insts = append(s.blocks[2].Insts, c)
		}},
		{"phi operands", "operands for 2 predecessors", func(s *sample) { s.join.Args = s.join.Args[:1] }},
		{"phi widths", "and its operand", func(s *sample) { s.join.Args[0] = wide(s) }},
		{"a phi operand of the other way", "need not have been made", func(s *sample) { s.join.Args[1] = s.add }},
		{"a use on another way", "need not have been made", func(s *sample) { s.store.Args[1] = s.add }},
		{"a use ahead of the value", "need not have been made", func(s *sample) {
			l := s.blocks[4].Insts
			s.store.Args[1] = s.f.NewValue(isa.OpAdd, isa.I32, isa.I32, s.join, s.join)
			s.store.Args[1].Block = s.blocks[4]
			s.blocks[4].Insts = append(l, s.store.Args[1])
		}},
		{"a use of itself", "need not have been made", func(s *sample) { s.add.Args[0] = s.add }},
		{"a use of what stands nowhere", "stands nowhere", func(s *sample) {
			s.add.Args[0] = s.f.NewValue(isa.OpAdd, isa.I32, isa.I32, s.id, s.id)
		}},
		{"a use of a store", "has no result", func(s *sample) { s.blocks[4].Insts[1].Args[0] = s.store }},
		{"a use of a built-in variable", "address of a built-in variable", func(s *sample) {
			s.add.Args[0] = s.f.NewValue(OpInput, isa.I64, isa.I64)
		}},
		{"too few operands", "1 operands where there are 2", func(s *sample) { s.add.Args = s.add.Args[:1] }},
		{"operand widths", "must be i32", func(s *sample) { s.add.Args[1] = wide(s) }},
		{"the pointer of a load", "must be i64", func(s *sample) { s.load.Args[0] = s.id }},
		{"result width", "the result is i64", func(s *sample) { s.cmp.Type = isa.I64; s.blocks[1].Cond = s.blocks[4].Cond }},
		{"a type that the instruction has not", "does not work on f32", func(s *sample) { s.add.Elem = isa.F32 }},
		{"a conversion from nothing", "does not convert from", func(s *sample) {
			s.add.Op, s.add.Elem, s.add.Args = isa.OpZExt, isa.F32, s.add.Args[:1]
		}},
		{"an opcode that is none", "no instruction of a block", func(s *sample) { s.add.Op = isa.OpBr }},
	} {
		s := newSample()
		x.change(s)
		if err := s.f.Verify(); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, expected %q", x.name, err, x.want)
		}
	}
}

// TestVerifyMany breaks edges of a switch of many ways, which meet again.
func TestVerifyMany(t *testing.T) {
	for _, ways := range []int{2, ManyEdges - 1, ManyEdges, 5 * ManyEdges} {
		for _, x := range []struct {
			name, want string
			change     func(from, to *Block, between []*Block)
		}{
			{"nothing", "", func(_, _ *Block, _ []*Block) {}},
			{"an edge unknown at its end", "which does not know it", func(_, to *Block, _ []*Block) { to.Preds = to.Preds[:ways-1] }},
			{"an edge unknown at its start", "which does not lead here", func(from, to *Block, _ []*Block) { to.Preds = append(to.Preds, from) }},
			{"two edges", "two edges lead to", func(from, _ *Block, between []*Block) { from.Succs[0] = between[ways-1] }},
			{"two edges back", "two edges come from", func(_, to *Block, between []*Block) { to.Preds = append(to.Preds, between[0]) }},
		} {
			f := NewFunc(&isa.Kernel{})
			from, to := f.NewBlock(""), f.NewBlock("")
			to.Term = TermRet
			from.Cond = f.NewValue(isa.OpBuiltin, isa.I32, isa.I32)
			from.Cond.Block, from.Insts, from.Term, from.Table = from, []*Value{from.Cond}, TermSwitch, &SwitchTable{}
			var between []*Block
			for i := range ways {
				w := f.NewBlock("")
				w.Term = TermBr
				Link(from, w)
				Link(w, to)
				between = append(between, w)
				if i > 0 {
					from.Table.Cases, from.Table.To = append(from.Table.Cases, uint64(i)), append(from.Table.To, i)
				}
			}
			x.change(from, to, between)
			if err := f.Verify(); x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
				t.Errorf("%d ways, %s: %v, expected %q", ways, x.name, err, x.want)
			}
		}
	}
}

// TestCheckAnalyses checks that analyses which are not true any more are found.
func TestCheckAnalyses(t *testing.T) {
	for _, x := range []struct {
		name, want string
		need       Analyses
		change     func(*sample)
	}{
		{"nothing", "", ControlFlow | AnalysisUses, func(*sample) {}},
		{"order", "reverse post-order", AnalysisOrder, func(s *sample) { s.blocks[2].RPO = 9 }},
		{"a new block", "reverse post-order", AnalysisOrder, func(s *sample) {
			f := s.f
			m := f.NewBlock("")
			SetBranch(m, s.blocks[1])
			m.Preds, s.blocks[1].Preds[s.blocks[1].PredIndex(s.blocks[0])] = []*Block{s.blocks[0]}, m
			for i, x := range s.blocks[0].Succs {
				if x == s.blocks[1] {
					s.blocks[0].Succs[i] = m
				}
			}
			f.Valid = AnalysisOrder
		}},
		{"dominators", "dominator tree", AnalysisDominators, func(s *sample) { s.blocks[4].IDom = s.blocks[2] }},
		{"loops", "in another loop", AnalysisLoops, func(s *sample) { s.blocks[5].Loop = s.blocks[1].Loop }},
		{"uses", "uses", AnalysisUses, func(s *sample) { s.phi.Args[0] = s.id }},
	} {
		s := newSample()
		s.f.Need(x.need)
		x.change(s)
		err := s.f.CheckAnalyses()
		if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s: %v, expected %q", x.name, err, x.want)
		}
	}
}
