package ssa

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// ErrNoForm is wrapped by the errors of [FromKernel] for bytecode that this form does not express.
var ErrNoForm = errors.New("no SSA form")

// maxLifted is the number of blocks that registers live in, summed up over all registers, and of operands of
// phis, at most: a kernel of n instructions can ask for n² of them.
const maxLifted = 1 << 22

// FromKernel returns the SSA form of finished bytecode, which must pass [isa.Kernel.Verify] and is not
// changed. Construction is that of Braun et al., "Simple and Efficient Construction of Static Single
// Assignment Form" (CC 2013).
//
// A value stands for what one lane computes. Vector registers become values of the lane's own way through the
// blocks, since a write changes the lanes that run and no others; [isa.FlagDense] follows from where a value
// is used, and is not kept. A scalar register is one for all lanes. The form has it as a value of the lane's
// way as well, which is right if no other lanes write the register between the lane's write and its read.
// FromKernel proves that, as isa/lower sees to it, and refuses other kernels with an error that wraps
// [ErrNoForm].
//
// Blocks that nothing leads to are left out. Func.Blocks has the others in the order of the bytecode, by
// Block.Order, which decides which lanes run first; Value.Varying says that a result is in a vector register,
// and Value.Reg is the register. Instructions refer to the tables of the kernel, which the function shares.
func FromKernel(k *isa.Kernel) (*Func, error) { return fromKernel(k, maxLifted) }

// fromKernel is FromKernel with so much work at most.
func fromKernel(k *isa.Kernel, most int) (*Func, error) {
	f := NewFunc(k)
	f.Checks, f.GroupCopies, f.LaneCopies, f.Inlined = k.Checks, k.GroupCopies, k.LaneCopies, k.MarkSequences
	f.noteKernel()
	l := &lifter{f: f, k: k, most: most, blocks: make([]*Block, len(k.Blocks)),
		starts: map[variableAt]*Value{}, ends: map[variableAt]*Value{},
		conversions: map[conversion]*Value{}, after: map[*Value][]*Value{}}
	l.graph()
	for i, b := range l.blocks {
		if b != nil {
			l.instructions(i, b)
		}
	}
	if err := l.operands(); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	l.placeConversions()
	l.dropTrivialPhis()
	f.ReplaceAll()
	for i, b := range f.Blocks {
		b.Order = i
	}
	if err := f.checkScalars(); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	for _, c := range l.conversions {
		c.Seen = false
	}
	return f, nil
}

// noteKernel notes what the code asks of passes: it is for launches with checks, or has barriers with a
// schedule.
func (f *Func) noteKernel() {
	k := f.Kernel
	f.Checked = len(k.Checks) > 0
	for i := range k.Code {
		if in := &k.Code[i]; in.Op == isa.OpBarrier {
			s := in.Schedule()
			f.Ordered = f.Ordered || s != isa.ScheduleUnordered
			f.Once = f.Once || s == isa.ScheduleOnce
		}
	}
}

// variable is a register that is read. A scalar register holds values of several widths, and is a variable of
// each.
type variable struct {
	reg  isa.Reg
	bank isa.Bank // of the type that it is read as
}

// register is a register that is written: a write to a scalar register is one to all its variables.
func register(r isa.Reg, t isa.Bank) variable {
	if r.IsScalar() {
		return variable{reg: r}
	}
	return variable{r, t}
}

// variableAt is a variable at the start or at the end of a block.
type variableAt struct {
	b *Block
	variable
}

// conversion is a value of a scalar register, read as one of another width.
type conversion struct {
	v    *Value
	bank isa.Bank
}

// lifter makes a function of a kernel.
type lifter struct {
	f      *Func
	k      *isa.Kernel
	blocks []*Block // by number in the bytecode; nil for those that nothing leads to

	ends        map[variableAt]*Value // the last write of a register in a block
	starts      map[variableAt]*Value // what a variable has where a block starts, as far as somebody has asked
	conversions map[conversion]*Value
	after       map[*Value][]*Value // conversions, by what they stand behind; those of leaves by nil
	phis        []*Value
	made, most  int // entries of starts and operands of phis
	written     map[isa.Reg]bool
}

// writes says whether an instruction of the kernel writes a register.
func (l *lifter) writes(r isa.Reg) bool {
	if l.written == nil {
		l.written = map[isa.Reg]bool{}
		for i := range l.k.Code {
			l.written[l.k.Code[i].Dst] = true
		}
	}
	return l.written[r]
}

var errTooMany = fmt.Errorf("too many values live across too many blocks: %w", ErrNoForm)

// graph makes the blocks and edges.
func (l *lifter) graph() {
	f, k := l.f, l.k
	seen := make([]bool, len(k.Blocks))
	work := []int{0}
	seen[0] = true
	loops := false // something leads to the entry
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		k.Successors(b, func(s int) {
			loops = loops || s == 0
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		})
	}
	var entry *Block
	if loops {
		entry = f.NewBlock("")
		entry.Term = TermBr
	}
	for i := range k.Blocks {
		if seen[i] {
			l.blocks[i] = f.NewBlock(k.Blocks[i].Name)
		}
	}
	if loops {
		Link(entry, l.blocks[0])
	}
	for i, b := range l.blocks {
		if b != nil {
			l.terminator(i, b)
			b.Order = len(k.Blocks) + i // for separateLoops
		}
	}
	blocks := f.Blocks[:len(f.Blocks):len(f.Blocks)]
	f.Blocks = nil
	for _, b := range blocks {
		l.separateLoops(b)
		f.Blocks = append(f.Blocks, b)
	}
}

// separateLoops gives each loop a head of its own where several blocks jump back to one. The last of these,
// in the order of the bytecode, ends the outermost loop: lanes that jump back from others run again before
// those go on that are behind them, as in a loop further in. The new heads are empty and come ahead of h.
func (l *lifter) separateLoops(h *Block) {
	var back []*Block
	for _, p := range h.Preds {
		if p.Order >= h.Order {
			back = append(back, p)
		}
	}
	if len(back) < 2 {
		return
	}
	slices.SortFunc(back, func(x, y *Block) int { return cmp.Compare(y.Order, x.Order) })
	inner := map[*Block]bool{}
	for _, p := range back[1:] {
		inner[p] = true
	}
	for _, p := range back[:len(back)-1] {
		head := l.f.NewBlock("")
		head.Term, head.Order = TermBr, h.Order
		// What does not come from loops further in comes to the new head.
		preds := h.Preds[:0:0]
		for _, q := range h.Preds {
			if inner[q] {
				preds = append(preds, q)
				continue
			}
			head.Preds = append(head.Preds, q)
			for i, s := range q.Succs {
				if s == h {
					q.Succs[i] = head
				}
			}
		}
		h.Preds = append(preds, head)
		head.Succs = append(head.Succs, h)
		inner[head] = false
		// The next one is for the loop further in: what is left, and this head.
		if i := slices.Index(back, p) + 1; i < len(back) {
			delete(inner, back[i])
		}
	}
}

// terminator sets how a block ends, but for its operand.
func (l *lifter) terminator(i int, b *Block) {
	k := l.k
	in := &k.Code[k.Blocks[i].End-1]
	b.TermLoc = in.Loc
	switch in.Op {
	case isa.OpBr:
		b.Term = TermBr
		Link(b, l.blocks[in.Target0()])
	case isa.OpBrCond:
		if b.Term = TermCond; in.Target0() == in.Target1() {
			b.Term = TermBr
		}
		Link(b, l.blocks[in.Target0()])
		Link(b, l.blocks[in.Target1()])
	case isa.OpSwitch:
		t := &k.Switches[in.Imm]
		b.Term, b.Table = TermSwitch, &SwitchTable{Cases: t.Values}
		Link(b, l.blocks[t.Default])
		// Many cases lead to few blocks: the edges are found by block.
		at := map[int]int{t.Default: 0}
		for _, to := range t.Targets {
			n, ok := at[to]
			if !ok {
				n = len(b.Succs)
				at[to] = n
				b.Succs = append(b.Succs, l.blocks[to])
				l.blocks[to].Preds = append(l.blocks[to].Preds, b)
			}
			b.Table.To = append(b.Table.To, n)
		}
	case isa.OpBarrier:
		b.Term, b.Scope, b.Schedule = TermBarrier, isa.Scope(in.Imm2), in.Schedule()
		b.Uniform, b.MemoryOrder = in.Flags&isa.FlagUniform != 0, in.Order()
		Link(b, l.blocks[in.Target0()])
	case isa.OpTrap:
		b.Term, b.Trap = TermTrap, isa.TrapKind(in.Imm)
	default:
		b.Term = TermRet
	}
}

// instructions makes the instructions of a block, without their operands.
func (l *lifter) instructions(i int, b *Block) {
	k := l.k
	code := k.Code[k.Blocks[i].Start : k.Blocks[i].End-1]
	b.Insts = make([]*Value, len(code))
	for pc := range code {
		in := &code[pc]
		dst, t := k.Operands(in, func(isa.Reg, isa.Type) {})
		v := l.inst(in, t)
		v.Block, b.Insts[pc] = b, v
		if dst != isa.None {
			v.Reg, v.Varying = dst, dst.IsVector()
			l.ends[variableAt{b, register(dst, t.Bank())}] = v
		}
	}
}

// inst makes an instruction with a result of type t.
func (l *lifter) inst(in *isa.Inst, t isa.Type) *Value {
	v := l.f.NewValue(in.Op, t, in.Type)
	v.Flags, v.Idx, v.Space, v.Imm2 = in.Flags&^isa.FlagDense, in.Idx, in.Space, in.Imm2
	v.Scale, v.Disp, v.Imm, v.Loc = in.Scale, in.Disp, uint64(in.Imm), in.Loc
	switch in.Op.Info().Shape {
	case isa.ShapeConvert:
		v.Elem = in.Type2
	case isa.ShapePtrAdd, isa.ShapePtrDiff:
		v.Elem = isa.I64
	case isa.ShapePipe:
		v.Index, v.Elem, v.Imm2 = int32(in.Imm), t, uint8(l.k.PipeAccesses[in.Imm].Op)
	case isa.ShapeGroupCopy, isa.ShapeLaneCopy, isa.ShapeAsync, isa.ShapeImage, isa.ShapePrintf:
		v.Index = int32(in.Imm)
	}
	return v
}

// operands gives instructions, terminators and phis their operands.
func (l *lifter) operands() error {
	k := l.k
	for i, b := range l.blocks {
		if b == nil {
			continue
		}
		now := map[variable]*Value{} // what has been written in the block
		code := k.Code[k.Blocks[i].Start:k.Blocks[i].End]
		for pc := range code {
			in := &code[pc]
			var args []*Value
			var err error
			dst, t := k.Operands(in, func(r isa.Reg, t isa.Type) {
				v := now[register(r, t.Bank())]
				if v != nil {
					v = l.as(v, t.Bank())
				} else if err == nil {
					v, err = l.start(b, variable{r, t.Bank()})
				}
				args = append(args, v)
			})
			if err != nil {
				return fmt.Errorf("b%d, instruction %d: %w", i, pc, err)
			}
			if pc == len(code)-1 {
				l.condition(in, b, args)
				break
			}
			v := b.Insts[pc]
			if v.Args = args; len(args) <= len(v.ArgStore) {
				v.Args = v.ArgStore[:copy(v.ArgStore[:], args)]
			}
			if dst != isa.None {
				now[register(dst, t.Bank())] = v
			}
		}
	}
	// Phis ask for others.
	for n := 0; n < len(l.phis); n++ {
		phi := l.phis[n]
		for _, p := range phi.Block.Preds {
			v, err := l.end(p, variable{phi.Reg, phi.Type.Bank()})
			if err != nil {
				return err
			}
			phi.Args = append(phi.Args, v)
		}
	}
	return nil
}

// condition gives a block the operand of its terminator.
func (l *lifter) condition(in *isa.Inst, b *Block, args []*Value) {
	if b.Term != TermCond && b.Term != TermSwitch {
		return
	}
	b.Cond = args[0]
	if in.Flags&isa.FlagWait == 0 {
		return
	}
	for _, v := range b.Insts {
		if v.Op == isa.OpPipe && v.Index == int32(in.Imm) {
			b.Wait = v
		}
	}
}

// end returns what a variable has where a block ends.
func (l *lifter) end(b *Block, x variable) (*Value, error) {
	if v := l.ends[variableAt{b, register(x.reg, x.bank)}]; v != nil {
		return l.as(v, x.bank), nil
	}
	return l.start(b, x)
}

// start returns what a variable has where a block starts.
func (l *lifter) start(b *Block, x variable) (*Value, error) {
	var passed []*Block // those on the way to the block that knows
	var v *Value
	for at := b; v == nil; {
		if v = l.starts[variableAt{at, x}]; v != nil {
			break
		}
		passed = append(passed, at)
		if l.made += 1 + len(at.Preds); l.made > l.most {
			return nil, errTooMany
		}
		switch len(at.Preds) {
		case 0:
			if v = l.first(x); v.IsConst() && x.reg.IsScalar() && l.writes(x.reg) {
				// A constant has no register. Lanes that wait would read what others have written meanwhile.
				return nil, fmt.Errorf("scalar register %d is read as it was at first, and written: %w", x.reg.Index(), ErrNoForm)
			}
		case 1:
			at = at.Preds[0]
			if w := l.ends[variableAt{at, register(x.reg, x.bank)}]; w != nil {
				v = l.as(w, x.bank)
			}
		default:
			t := bankType(x.bank)
			v = l.f.NewValue(OpPhi, t, t)
			v.Block, v.Reg, v.Varying = at, x.reg, x.reg.IsVector()
			v.Args = make([]*Value, 0, len(at.Preds))
			at.Phis = append(at.Phis, v)
			l.phis = append(l.phis, v)
		}
	}
	for _, p := range passed {
		l.starts[variableAt{p, x}] = v
	}
	return v, nil
}

// bankType returns the type of the integers, or booleans, in registers of a bank.
func bankType(b isa.Bank) isa.Type {
	return [isa.NumBanks]isa.Type{isa.B1, isa.I8, isa.I16, isa.I32, isa.I64}[b]
}

// first returns what a variable has when a wave starts. A vector register holds zeros.
func (l *lifter) first(x variable) *Value {
	f, k, t := l.f, l.k, bankType(x.bank)
	if x.reg.IsVector() || x.reg.Index() >= len(k.ScalarInit) {
		return f.Constant(t, 0)
	}
	i := x.reg.Index()
	leaf := func(op isa.Op, t isa.Type, index int) *Value {
		v := f.NewValue(op, t, t)
		v.Index, v.Reg = int32(index), x.reg
		return v
	}
	for _, r := range k.ParamRegs {
		if r.Scalar != i {
			continue
		}
		// The other bytes of the register are zeros.
		of := isa.IntOf(8 * int(r.Size))
		if of == isa.Void || of.Bits() > t.Bits() {
			of = t
		}
		v := leaf(OpParam, of, r.Param)
		v.Imm = r.Offset
		return l.as(v, x.bank)
	}
	for _, r := range k.GlobalRegs {
		if r.Scalar == i {
			return l.as(leaf(OpGlobal, isa.I64, r.Global), x.bank)
		}
	}
	for _, r := range k.PipeRegs {
		if r.Scalar == i {
			return l.as(leaf(OpPipeHandle, isa.I64, r.Pipe), x.bank)
		}
	}
	for _, r := range k.UndefinedRegs {
		if r.Scalar == i {
			return leaf(OpUndef, t, r.From)
		}
	}
	return f.Constant(t, k.ScalarInit[i])
}

// as returns a value of a register as one of the width of a bank. Scalar registers hold narrow values
// zero-extended.
func (l *lifter) as(v *Value, bank isa.Bank) *Value {
	t := bankType(bank)
	if v.Type.Bits() == t.Bits() {
		return v
	}
	if v.IsConst() {
		return l.f.Constant(t, v.Imm)
	}
	key := conversion{v, bank}
	if c := l.conversions[key]; c != nil {
		return c
	}
	f, from := l.f, bankType(v.Type.Bank())
	put := func(op isa.Op, typ, elem isa.Type, args ...*Value) *Value {
		c := f.NewValue(op, typ, elem, args...)
		c.Loc, c.Reg, c.Seen = v.Loc, v.Reg, true
		at := v
		if c.Block = v.Block; v.Leaf() {
			at, c.Block = nil, f.Blocks[0]
		}
		l.after[at] = append(l.after[at], c)
		return c
	}
	var c *Value
	switch {
	case t == isa.B1: // the lowest bit
		bit := put(isa.OpAnd, from, from, v, f.Constant(from, 1))
		c = put(isa.OpNe, isa.B1, from, bit, f.Constant(from, 0))
	case from == isa.B1:
		c = put(isa.OpSelect, t, t, v, f.Constant(t, 1), f.Constant(t, 0))
	case t.Bits() < from.Bits():
		c = put(isa.OpTruncate, t, from, v)
	default:
		c = put(isa.OpZExt, t, from, v)
	}
	l.conversions[key] = c
	return c
}

// placeConversions puts conversions behind what they convert.
func (l *lifter) placeConversions() {
	if len(l.after) == 0 {
		return
	}
	for i, b := range l.f.Blocks {
		var insts []*Value
		if i == 0 {
			insts = append(insts, l.after[nil]...)
		}
		for _, v := range b.Phis {
			insts = append(insts, l.after[v]...)
		}
		for _, v := range b.Insts {
			insts = append(append(insts, v), l.after[v]...)
		}
		b.Insts = insts
	}
}

// dropTrivialPhis replaces the phis that choose between one value and themselves.
func (l *lifter) dropTrivialPhis() {
	users := map[*Value][]*Value{}
	for _, phi := range l.phis {
		for _, a := range phi.Args {
			if a.Op == OpPhi && a != phi {
				users[a] = append(users[a], phi)
			}
		}
	}
	for work := l.phis; len(work) > 0; {
		phi := work[len(work)-1]
		work = work[:len(work)-1]
		if phi.Repl != nil {
			continue
		}
		var same *Value
		trivial := true
		for _, a := range phi.Args {
			if a = a.Root(); a == phi || a == same {
				continue
			}
			if trivial = same == nil; !trivial {
				break
			}
			same = a
		}
		if !trivial {
			continue
		}
		if same == nil {
			same = l.f.Constant(phi.Type, 0) // cannot be: some way comes from the entry
		}
		phi.Repl = same
		work = append(work, users[phi]...)
		if same.Op == OpPhi {
			users[same] = append(users[same], users[phi]...)
		}
	}
}
