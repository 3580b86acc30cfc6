package ssa

import (
	"github.com/lockstep-gpu/lockstep/isa"
)

// The intermediate representation is SSA over scalars: vectors and aggregates
// are split when a module is read. An instruction is a value with an opcode of
// the bytecode, or one of the few below that exist before emission only.
//
// Integers and floats of one width share a register bank, so a bit cast
// between them is no instruction: the operand is simply used.
const (
	OpConst       = isa.NumOps + iota // Value.Imm holds the bits
	OpParam                           // Value.Imm bytes into the value of parameter Value.Index
	OpGlobal                          // address of program-scope variable Value.Index
	OpPrivate                         // address of private allocation Value.Index
	OpLocal                           // address of LDS allocation Value.Index
	OpInput                           // "address" of the built-in variable Value.Index
	OpPipeHandle                      // handle of the program's pipe Value.Index
	OpPhi                             // one argument a predecessor, in their order
	OpUndef                           // a value of which nothing is known, from Kernel.Undefined[Value.Index]
	OpPipeStorage                     // handle of the pipe that a structure describes, whose first scalar is the argument
	OpArg                             // scalar Value.Index of the arguments, in a body that is prepared
	OpResult                          // the scalars that such a body returns, at its end
)

// Value is an SSA value, or an instruction without a result (Type is Void). Large kernels have a million of them, so
// they are kept small.
type Value struct {
	ID    int32
	Op    isa.Op
	Type  isa.Type // of the result
	Elem  isa.Type // what the instruction works on: Inst.Type, and Inst.Type2 of a conversion
	Args  []*Value
	Block *Block
	Repl  *Value // stands in for this value

	Imm   uint64 // constant bits, byte offset of a parameter, or Inst.Imm
	Index int32  // parameter, variable or allocation
	Scale uint32
	Disp  int32
	Loc   uint32
	Imm2  uint8
	Flags isa.Flags
	Space isa.Space
	Idx   isa.IdxType // of an address: Args[0] is the pointer, Args[1] the index when Idx is not IdxNone
	Wraps NoWrap      // what the module promises of an addition, subtraction, multiplication or shift

	// What analyses find out.
	Varying bool    // differs by lane
	Seen    bool    // scratch mark
	Mark    uint8   // Func.Mark, when a walk has found a use
	Uses    int32   // times used
	Pos     int32   // place in its block, where a pass numbers
	Reg     isa.Reg // register: of what [FromKernel] found in one, and once registers are given out
	Live    int32   // place in Func.spans, or where isa/lower notes the lives of values

	ArgStore [2]*Value // backing of short Args
}

// NoWrap says of an operation that its result is that of unlimited integers. What it
// gives otherwise is undefined (SPIR-V 3.20, NoSignedWrap and NoUnsignedWrap).
type NoWrap uint8

// What a module promises.
const (
	NoSignedWrap NoWrap = 1 << iota
	NoUnsignedWrap
)

// TermKind is how a block ends.
type TermKind uint8

// The ends of blocks.
const (
	TermNone TermKind = iota
	TermBr
	TermCond   // Cond ? Succs[0] : Succs[1]
	TermSwitch // Table.Cases[i] goes to Succs[Table.To[i]], everything else to Succs[0]
	TermRet
	TermTrap    // Trap
	TermBarrier // then Succs[0]
)

// Block is a basic block. Phis come first and are kept apart; their arguments
// are in the order of Preds. Succs has no target twice. Fields are where passes that walk edges find them together.
type Block struct {
	ID           int
	RPO          int // found by an analysis, as the fields at the end
	Preds        []*Block
	Succs        []*Block
	succv, predv [2]*Block // backing of short lists, as they are made
	Phis         []*Value
	Order        int // place in the order of emission; found by an analysis
	Insts        []*Value
	Cond         *Value

	Term        TermKind
	Trap        isa.TrapKind
	Scope       isa.Scope // of a barrier
	Uniform     bool      // a barrier of a work-group operation
	Schedule    isa.BarrierSchedule
	MemoryOrder isa.MemoryOrder // of a barrier
	TermLoc     uint32
	Wait        *Value // the blocking pipe instruction that a TermCond tries again for the lanes that failed
	Table       *SwitchTable
	Name        string

	// What analyses find out.
	IDom          *Block
	DomIn, domOut int32 // entry and exit numbers of a walk of the dominator tree
	Loop          *Loop
	Children      []*Block // children in the dominator tree
}

// SwitchTable has where a TermSwitch leads. Nobody changes one that a block has.
type SwitchTable struct {
	Cases []uint64
	To    []int // places in Succs
}

// Tables has what instructions refer to by number, beside what the kernel has of that already.
type Tables struct {
	Kernel      *isa.Kernel
	Checks      []isa.Check     // by Value.Imm of an OpCheck
	GroupCopies []isa.GroupCopy // by Value.Index of an OpGroupCopy
	LaneCopies  []isa.LaneCopy  // by Value.Index of an OpLaneCopy
	Inlined     int             // function bodies that have been inlined: operations on async marks have the number of theirs
}

// Func is a kernel in the making.
type Func struct {
	*Tables
	Blocks    []*Block // entry first; the order means nothing else until ordered
	NumValues int
	NumBlocks int
	consts    map[constKey]*Value
	slab      []Value
	blockSlab []Block
	held      int // values whose memory is held
	// heldBlocks is the same of blocks.
	heldBlocks int
	Steps      int // work of the analyses that may take more than one look at each block, for tests

	spans []ValueSpan // of [ranges]: by Value.Live, of the values that have been noted

	Valid      Analyses // what analyses have found
	Mark       uint8    // counts the runs of dropDead
	Simplified bool     // simplify has run, and no value has changed since
	Loops      []*Loop  // all loops, inner ones first

	ByMemory bool // Value.Pos of each load has the version of what it loads from, so that loads may be the same

	// known is what is known of the launch; nil for a kernel of every launch.
	Known *Known
	// ordered says that some barrier of the work-group has a schedule under
	// which the lanes of a wave may go on at different times, once that one runs what
	// follows for the first work-item only.
	Ordered, Once bool
	// checked says that the kernel is for launches with checks, keepMarks that async marks stay which nobody counts.
	Checked, KeepMarks bool
}

type constKey struct {
	t    isa.Type
	bits uint64
}

// NewFunc returns a function without blocks, of the kernel k.
func NewFunc(k *isa.Kernel) *Func {
	return &Func{Tables: &Tables{Kernel: k}, consts: map[constKey]*Value{}}
}

// Sibling returns a function without blocks whose values can become those of f: it shares constants and tables with f,
// and goes on with its numbers.
func (f *Func) Sibling() *Func {
	return &Func{Tables: f.Tables, consts: f.consts, NumValues: f.NumValues, Checked: f.Checked, KeepMarks: f.KeepMarks}
}

// NewBlock adds a block.
func (f *Func) NewBlock(name string) *Block {
	if len(f.blockSlab) == 0 {
		f.blockSlab = make([]Block, 64)
		f.heldBlocks += len(f.blockSlab)
	}
	b := &f.blockSlab[0]
	f.blockSlab = f.blockSlab[1:]
	b.ID, b.Name = f.NumBlocks, name
	b.Succs, b.Preds = b.succv[:0], b.predv[:0]
	f.NumBlocks++
	f.Blocks = append(f.Blocks, b)
	return b
}

// NewValue makes a value without putting it into a block.
func (f *Func) NewValue(op isa.Op, typ, elem isa.Type, args ...*Value) *Value {
	if len(f.slab) == 0 {
		f.slab = make([]Value, 256)
		f.held += len(f.slab)
	}
	v := &f.slab[0]
	f.slab = f.slab[1:]
	v.ID, v.Op, v.Type, v.Elem = int32(f.NumValues), op, typ, elem
	f.NumValues++
	if len(args) <= len(v.ArgStore) {
		v.Args = v.ArgStore[:copy(v.ArgStore[:], args)]
	} else {
		v.Args = append([]*Value(nil), args...)
	}
	return v
}

// CopyOf makes another value of what v is, with the same operands and without a block.
func (f *Func) CopyOf(v *Value) *Value {
	n := f.NewValue(v.Op, v.Type, v.Elem, v.Args...)
	n.Imm, n.Index, n.Imm2, n.Flags, n.Space, n.Idx, n.Scale, n.Disp, n.Loc = v.Imm, v.Index, v.Imm2, v.Flags, v.Space, v.Idx, v.Scale, v.Disp, v.Loc
	n.Wraps = v.Wraps
	return n
}

// Constant returns the one value for the given bits of the given type. Types
// of one bank share their constants.
func (f *Func) Constant(t isa.Type, bits uint64) *Value {
	if n := t.Bits(); n < 64 {
		bits &= 1<<n - 1
	}
	key := constKey{isa.IntOf(t.Bits()), bits}
	if v := f.consts[key]; v != nil {
		return v
	}
	v := f.NewValue(OpConst, key.t, key.t)
	v.Imm = bits
	f.consts[key] = v
	return v
}

// IsConst says whether v is a constant, whose bits are Value.Imm.
func (v *Value) IsConst() bool { return v.Op == OpConst }

// Signed returns a constant's value as a signed number.
func (v *Value) Signed() int64 {
	n := 64 - v.Type.Bits()
	return int64(v.Imm<<n) >> n
}

// Leaf says whether v needs no place in a block.
func (v *Value) Leaf() bool {
	switch v.Op {
	case OpPhi, OpPipeStorage, OpResult:
		return false
	}
	return v.Op >= OpConst
}

// Root follows the replacements of v, shortening the path.
func (v *Value) Root() *Value {
	r := v
	for r.Repl != nil {
		r = r.Repl
	}
	for v.Repl != nil {
		v, v.Repl = v.Repl, r
		if v == r {
			break
		}
	}
	return r
}

// Pure says whether an instruction has no effect but its result and may be
// dropped, moved and shared.
func Pure(v *Value) bool {
	switch v.Op {
	case isa.OpLoad, isa.OpStore, isa.OpAtomic, isa.OpMemCopy, isa.OpFence, isa.OpPrintf,
		isa.OpReadFirst, isa.OpImageRead, isa.OpImageWrite,
		isa.OpGroupCopy, isa.OpGroupWait, isa.OpLaneCopy, isa.OpAsyncScope, isa.OpAsyncMark, isa.OpAsyncWait, isa.OpPipe, isa.OpCheck,
		OpResult:
		return false
	case isa.OpDivU, isa.OpRemU:
		return v.Args[1].IsConst() && v.Args[1].Imm != 0
	case isa.OpDivS, isa.OpRemS, isa.OpModS:
		// Division by -1 may overflow.
		return v.Args[1].IsConst() && v.Args[1].Imm != 0 && v.Args[1].Signed() != -1
	}
	return !Convergent(v)
}

// Convergent says whether an instruction's result depends on which lanes run it
// together. Such a one stays in its block, neither shared with another nor
// copied, whatever its operands.
func Convergent(v *Value) bool {
	return v.Op >= isa.OpShuffle && v.Op <= isa.OpBlockStore || v.Op == isa.OpImageBlockRead || v.Op == isa.OpImageBlockWrite
}

// HasEffect says whether an instruction must stay although nobody uses its
// result. Loads and divisions stay because they may fault, and a fault is
// what people run lockstep to see; for the same reason operations across lanes
// stay that checks have something to say about.
func HasEffect(v *Value) bool {
	if Convergent(v) && v.Flags&isa.FlagUniform == 0 {
		switch v.Op {
		case isa.OpShuffle, isa.OpShuffle2:
			return uint32(v.Imm) != isa.ShuffleLoose
		case isa.OpBlockLoad, isa.OpBlockStore, isa.OpImageBlockRead, isa.OpImageBlockWrite:
			return true
		}
		return false
	}
	return !Pure(v)
}

// ReplaceAll rewrites every use through the repl links that a pass has set,
// and drops the values that were replaced.
func (f *Func) ReplaceAll() {
	f.ReplacePhis()
	for _, b := range f.Blocks {
		insts := b.Insts[:0]
		for _, v := range b.Insts {
			if v.Repl == nil {
				insts = append(insts, v)
			}
		}
		b.Insts = insts
	}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			for i, a := range v.Args {
				if a.Repl != nil {
					v.Args[i] = a.Root()
				}
			}
		}
		if b.Cond != nil {
			b.Cond = b.Cond.Root()
		}
	}
}

// ReplacePhis is ReplaceAll for phis alone.
func (f *Func) ReplacePhis() {
	for _, b := range f.Blocks {
		phis := b.Phis[:0]
		for _, v := range b.Phis {
			if v.Repl != nil {
				continue
			}
			for i, a := range v.Args {
				if a.Repl != nil {
					v.Args[i] = a.Root()
				}
			}
			phis = append(phis, v)
		}
		b.Phis = phis
	}
}

// The kinds of an OpCheck that is about a lifetime, in Value.Disp.
const (
	LifeBegins = 1 + iota
	LifeEnds
)

// Lifetime says whether v begins or ends the lifetime of a variable, which is its operand.
func (v *Value) Lifetime() bool {
	return v.Op == isa.OpCheck && v.Disp != 0 && v.Args[0].Op == OpPrivate
}

// Movable says whether an instruction may run elsewhere, and gives a result.
func (v *Value) Movable() bool {
	return Pure(v) && !NoResult(v) && v.Op != OpPhi
}

// Drop drops the instructions for which drop is set.
func (f *Func) Drop(drop map[*Value]bool) {
	if len(drop) == 0 {
		return
	}
	f.Simplified = false
	for _, b := range f.Blocks {
		insts := b.Insts[:0]
		for _, v := range b.Insts {
			if !drop[v] {
				insts = append(insts, v)
			}
		}
		b.Insts = insts
	}
}
