package lower

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
	f                   *fn
	blocks              [6]*block
	phi, join, add, cmp *value
	load, store, id     *value
}

func newSample() *sample {
	s := &sample{f: newFn(&isa.Kernel{})}
	f := s.f
	for i := range s.blocks {
		s.blocks[i] = f.newBlock("")
	}
	at := func(i int, v *value) *value {
		v.blk = s.blocks[i]
		if v.op == irPhi {
			v.blk.phis = append(v.blk.phis, v)
		} else {
			v.blk.insts = append(v.blk.insts, v)
		}
		return v
	}
	br := func(i int, to ...int) {
		b := s.blocks[i]
		b.term = termBr
		if len(to) == 2 {
			b.term = termCond
		}
		for _, t := range to {
			link(b, s.blocks[t])
		}
	}
	s.id = at(0, f.newValue(isa.OpBuiltin, isa.I32, isa.I32))
	br(0, 1)
	br(1, 2, 3)
	br(2, 4)
	br(3, 4)
	br(4, 1, 5)
	s.blocks[5].term = termRet
	s.phi = at(1, f.newValue(irPhi, isa.I32, isa.I32, f.constant(isa.I32, 0), nil))
	s.cmp = at(1, f.newValue(isa.OpLtU, isa.B1, isa.I32, s.phi, s.id))
	s.blocks[1].cond = s.cmp
	s.add = at(2, f.newValue(isa.OpAdd, isa.I32, isa.I32, s.phi, s.id))
	p := f.newValue(irParam, isa.I64, isa.I64)
	s.load = at(3, f.newValue(isa.OpLoad, isa.I32, isa.I32, p))
	s.join = at(4, f.newValue(irPhi, isa.I32, isa.I32, s.add, s.load))
	s.phi.args[1] = s.join
	s.store = at(4, f.newValue(isa.OpStore, isa.Void, isa.I32, p, s.join))
	s.blocks[4].cond = at(4, f.newValue(isa.OpNe, isa.B1, isa.I32, s.join, s.id))
	return s
}

// TestVerify breaks a kernel in each way that the verifier looks for.
func TestVerify(t *testing.T) {
	if err := newSample().f.verify(); err != nil {
		t.Fatal(err)
	}
	wide := func(s *sample) *value { return s.f.constant(isa.I64, 1) }
	for _, x := range []struct {
		name, want string
		change     func(*sample)
	}{
		{"no blocks", "no block", func(s *sample) { s.f.blocks = nil }},
		{"a block twice", "there twice", func(s *sample) { s.f.blocks = append(s.f.blocks, s.blocks[2]) }},
		{"an edge to the entry", "lead to the entry", func(s *sample) { s.blocks[0].preds = s.blocks[:1] }},
		{"an edge unknown at its end", "which does not know it", func(s *sample) { s.blocks[2].preds = nil }},
		{"an edge unknown at its start", "does not lead here", func(s *sample) { s.blocks[5].preds = append(s.blocks[5].preds, s.blocks[2]) }},
		{"two edges", "two edges lead to", func(s *sample) { s.blocks[1].succs[1] = s.blocks[2]; s.blocks[2].preds = s.blocks[1:2] }},
		{"two edges back", "two edges come from", func(s *sample) { s.blocks[5].preds = append(s.blocks[5].preds, s.blocks[4]) }},
		{"an edge to a block that is gone", "which is gone", func(s *sample) { s.f.blocks = s.f.blocks[:5] }},
		{"a block that nobody reaches", "cannot be reached", func(s *sample) { s.f.newBlock("").term = termRet }},
		{"no terminator", "no terminator", func(s *sample) { s.blocks[5].term = termNone }},
		{"successors", "successors where", func(s *sample) { s.blocks[4].term = termBr; s.blocks[4].cond = nil }},
		{"a branch without operand", "without its operand", func(s *sample) { s.blocks[1].cond = nil }},
		{"a return with an operand", "that takes none", func(s *sample) { s.blocks[5].cond = s.cmp }},
		{"a condition that is a number", "condition of type i32", func(s *sample) { s.blocks[4].cond = s.join }},
		{"a switch without ways", "cases", func(s *sample) { s.blocks[1].term = termSwitch; s.blocks[1].table = &switchTable{cases: []uint64{1}} }},
		{"a switch to nowhere", "leads to successor 2", func(s *sample) {
			b := s.blocks[1]
			b.term, b.cond, b.table = termSwitch, s.phi, &switchTable{[]uint64{1}, []int{2}}
		}},
		{"a switch over a boolean", "switch over b1", func(s *sample) {
			b := s.blocks[1]
			b.term, b.table = termSwitch, &switchTable{[]uint64{1}, []int{1}}
		}},
		{"a value in two blocks", "stands in block", func(s *sample) { s.blocks[3].insts = append(s.blocks[3].insts, s.add) }},
		{"a value that is elsewhere", "does not know that it is in this block", func(s *sample) { s.add.blk = s.blocks[3] }},
		{"a value that was replaced", "was replaced", func(s *sample) { s.add.repl = s.id }},
		{"a phi among instructions", "wrong list", func(s *sample) {
			s.blocks[4].insts = append(s.blocks[4].insts, s.join)
			s.blocks[4].phis = nil
		}},
		{"a constant in a block", "needs no place", func(s *sample) {
			c := wide(s)
			c.blk = s.blocks[2]
			s.blocks[2].insts = append(s.blocks[2].insts, c)
		}},
		{"phi operands", "operands for 2 predecessors", func(s *sample) { s.join.args = s.join.args[:1] }},
		{"phi widths", "and its operand", func(s *sample) { s.join.args[0] = wide(s) }},
		{"a phi operand of the other way", "need not have been made", func(s *sample) { s.join.args[1] = s.add }},
		{"a use on another way", "need not have been made", func(s *sample) { s.store.args[1] = s.add }},
		{"a use ahead of the value", "need not have been made", func(s *sample) {
			l := s.blocks[4].insts
			s.store.args[1] = s.f.newValue(isa.OpAdd, isa.I32, isa.I32, s.join, s.join)
			s.store.args[1].blk = s.blocks[4]
			s.blocks[4].insts = append(l, s.store.args[1])
		}},
		{"a use of itself", "need not have been made", func(s *sample) { s.add.args[0] = s.add }},
		{"a use of what stands nowhere", "stands nowhere", func(s *sample) {
			s.add.args[0] = s.f.newValue(isa.OpAdd, isa.I32, isa.I32, s.id, s.id)
		}},
		{"a use of a store", "has no result", func(s *sample) { s.blocks[4].insts[1].args[0] = s.store }},
		{"a use of a built-in variable", "address of a built-in variable", func(s *sample) {
			s.add.args[0] = s.f.newValue(irInput, isa.I64, isa.I64)
		}},
		{"too few operands", "1 operands where there are 2", func(s *sample) { s.add.args = s.add.args[:1] }},
		{"operand widths", "must be i32", func(s *sample) { s.add.args[1] = wide(s) }},
		{"the pointer of a load", "must be i64", func(s *sample) { s.load.args[0] = s.id }},
		{"result width", "the result is i64", func(s *sample) { s.cmp.typ = isa.I64; s.blocks[1].cond = s.blocks[4].cond }},
		{"a type that the instruction has not", "does not work on f32", func(s *sample) { s.add.elem = isa.F32 }},
		{"a conversion from nothing", "does not convert from", func(s *sample) {
			s.add.op, s.add.elem, s.add.args = isa.OpZExt, isa.F32, s.add.args[:1]
		}},
		{"an opcode that is none", "no instruction of a block", func(s *sample) { s.add.op = isa.OpBr }},
	} {
		s := newSample()
		x.change(s)
		if err := s.f.verify(); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, expected %q", x.name, err, x.want)
		}
	}
}

// TestVerifyMany breaks edges of a switch of many ways, which meet again.
func TestVerifyMany(t *testing.T) {
	for _, ways := range []int{2, many - 1, many, 5 * many} {
		for _, x := range []struct {
			name, want string
			change     func(from, to *block, between []*block)
		}{
			{"nothing", "", func(_, _ *block, _ []*block) {}},
			{"an edge unknown at its end", "which does not know it", func(_, to *block, _ []*block) { to.preds = to.preds[:ways-1] }},
			{"an edge unknown at its start", "which does not lead here", func(from, to *block, _ []*block) { to.preds = append(to.preds, from) }},
			{"two edges", "two edges lead to", func(from, _ *block, between []*block) { from.succs[0] = between[ways-1] }},
			{"two edges back", "two edges come from", func(_, to *block, between []*block) { to.preds = append(to.preds, between[0]) }},
		} {
			f := newFn(&isa.Kernel{})
			from, to := f.newBlock(""), f.newBlock("")
			to.term = termRet
			from.cond = f.newValue(isa.OpBuiltin, isa.I32, isa.I32)
			from.cond.blk, from.insts, from.term, from.table = from, []*value{from.cond}, termSwitch, &switchTable{}
			var between []*block
			for i := range ways {
				w := f.newBlock("")
				w.term = termBr
				link(from, w)
				link(w, to)
				between = append(between, w)
				if i > 0 {
					from.table.cases, from.table.to = append(from.table.cases, uint64(i)), append(from.table.to, i)
				}
			}
			x.change(from, to, between)
			if err := f.verify(); x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
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
		{"order", "reverse post-order", AnalysisOrder, func(s *sample) { s.blocks[2].rpo = 9 }},
		{"a new block", "reverse post-order", AnalysisOrder, func(s *sample) {
			f := s.f
			m := f.newBlock("")
			setBr(m, s.blocks[1])
			m.preds, s.blocks[1].preds[s.blocks[1].predIndex(s.blocks[0])] = []*block{s.blocks[0]}, m
			for i, x := range s.blocks[0].succs {
				if x == s.blocks[1] {
					s.blocks[0].succs[i] = m
				}
			}
			f.valid = AnalysisOrder
		}},
		{"dominators", "dominator tree", AnalysisDominators, func(s *sample) { s.blocks[4].idom = s.blocks[2] }},
		{"loops", "in another loop", AnalysisLoops, func(s *sample) { s.blocks[5].loop = s.blocks[1].loop }},
		{"uses", "uses", AnalysisUses, func(s *sample) { s.phi.args[0] = s.id }},
	} {
		s := newSample()
		s.f.need(x.need)
		x.change(s)
		err := s.f.checkAnalyses()
		if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s: %v, expected %q", x.name, err, x.want)
		}
	}
}
