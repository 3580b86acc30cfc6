package lower

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
	irConst   = isa.NumOps + iota // value.imm holds the bits
	irParam                       // value.imm bytes into the value of parameter value.index
	irGlobal                      // address of program-scope variable value.index
	irPriv                        // address of private allocation value.index
	irLocal                       // address of LDS allocation value.index
	irInput                       // "address" of the built-in variable value.index
	irPipe                        // handle of the program's pipe value.index
	irPhi                         // one argument a predecessor, in their order
	irUndef                       // a value of which nothing is known, from Kernel.Undefined[value.index]
	irStorage                     // handle of the pipe that a structure describes, whose first scalar is the argument
	irArg                         // scalar value.index of the arguments, in a body that is prepared
	irResult                      // the scalars that such a body returns, at its end
)

// value is an SSA value, or an instruction without a result (typ is Void). Large kernels have a million of them, so
// they are kept small.
type value struct {
	id   int32
	op   isa.Op
	typ  isa.Type // of the result
	elem isa.Type // what the instruction works on: Inst.Type, and Inst.Type2 of a conversion
	args []*value
	blk  *block
	repl *value // stands in for this value

	imm   uint64 // constant bits, byte offset of a parameter, or Inst.Imm
	index int32  // parameter, variable or allocation
	scale uint32
	disp  int32
	loc   uint32
	imm2  uint8
	flags isa.Flags
	space isa.Space
	idx   isa.IdxType // of an address: args[0] is the pointer, args[1] the index when idx is not IdxNone
	wraps noWrap      // what the module promises of an addition, subtraction, multiplication or shift

	// What analyses find out.
	div  bool    // differs by lane
	seen bool    // scratch mark
	mark uint8   // fn.mark, when dropDead has found a use
	uses int32   // times used
	pos  int32   // place in its block, where a pass numbers
	reg  isa.Reg // register
	live int32   // place in fn.spans, or in allocator.info

	argv [2]*value // backing of short args
}

// noWrap says of an operation that its result is that of unlimited integers. What it
// gives otherwise is undefined (SPIR-V 3.20, NoSignedWrap and NoUnsignedWrap).
type noWrap uint8

const (
	noSignedWrap noWrap = 1 << iota
	noUnsignedWrap
)

// termKind is how a block ends.
type termKind uint8

const (
	termNone termKind = iota
	termBr
	termCond    // cond ? succs[0] : succs[1]
	termSwitch  // table.cases[i] goes to succs[table.to[i]], everything else to succs[0]
	termRet     //
	termTrap    // trap
	termBarrier // then succs[0]
)

// block is a basic block. phis come first and are kept apart; their arguments
// are in the order of preds. succs has no target twice. Fields are where passes that walk edges find them together.
type block struct {
	id           int
	rpo          int // found by an analysis, as the fields at the end
	preds        []*block
	succs        []*block
	succv, predv [2]*block // backing of short lists, as they are made
	phis         []*value
	order        int // place in the order of emission; found by an analysis
	insts        []*value
	cond         *value

	term    termKind
	trap    isa.TrapKind
	scope   isa.Scope // of a barrier
	uniform bool      // a barrier of a work-group operation
	sched   isa.BarrierSchedule
	memory  isa.MemoryOrder // of a barrier
	termLoc uint32
	wait    *value // the blocking pipe instruction that a termCond tries again for the lanes that failed
	table   *switchTable
	name    string

	// What analyses find out.
	idom          *block
	domIn, domOut int32 // entry and exit numbers of a walk of the dominator tree
	loop          *loop
	dom           []*block // children in the dominator tree
}

// switchTable has where a termSwitch leads. Nobody changes one that a block has.
type switchTable struct {
	cases []uint64
	to    []int // places in succs
}

// fn is a kernel in the making.
type fn struct {
	blocks    []*block // entry first; the order means nothing else until ordered
	nvals     int
	nblks     int
	consts    map[constKey]*value
	slab      []value
	blockSlab []block
	held      int // values whose memory is held
	// heldBlocks is the same of blocks.
	heldBlocks int
	steps      int // work of the analyses that may take more than one look at each block, for tests

	spans []valueSpan // of [ranges]: by value.live, of the values that have been noted

	valid  Analyses // what analyses have found
	mark   uint8    // counts the runs of dropDead
	simple bool     // simplify has run, and no value has changed since
	nest   []*loop  // all loops, inner ones first

	byMemory bool // value.pos of each load has the version of what it loads from, so that loads may be the same

	// known is what is known of the launch; nil for a kernel of every launch.
	known *known
	// ordered says that some barrier of the work-group has a schedule under
	// which the lanes of a wave may go on at different times, once that one runs what
	// follows for the first work-item only.
	ordered, once bool
}

type constKey struct {
	t    isa.Type
	bits uint64
}

func (f *fn) newBlock(name string) *block {
	if len(f.blockSlab) == 0 {
		f.blockSlab = make([]block, 64)
		f.heldBlocks += len(f.blockSlab)
	}
	b := &f.blockSlab[0]
	f.blockSlab = f.blockSlab[1:]
	b.id, b.name = f.nblks, name
	b.succs, b.preds = b.succv[:0], b.predv[:0]
	f.nblks++
	f.blocks = append(f.blocks, b)
	return b
}

// newValue makes a value without putting it into a block.
func (f *fn) newValue(op isa.Op, typ, elem isa.Type, args ...*value) *value {
	if len(f.slab) == 0 {
		f.slab = make([]value, 256)
		f.held += len(f.slab)
	}
	v := &f.slab[0]
	f.slab = f.slab[1:]
	v.id, v.op, v.typ, v.elem = int32(f.nvals), op, typ, elem
	f.nvals++
	if len(args) <= len(v.argv) {
		v.args = v.argv[:copy(v.argv[:], args)]
	} else {
		v.args = append([]*value(nil), args...)
	}
	return v
}

// copyOf makes another value of what v is, with the same operands and without a block.
func (f *fn) copyOf(v *value) *value {
	n := f.newValue(v.op, v.typ, v.elem, v.args...)
	n.imm, n.index, n.imm2, n.flags, n.space, n.idx, n.scale, n.disp, n.loc = v.imm, v.index, v.imm2, v.flags, v.space, v.idx, v.scale, v.disp, v.loc
	n.wraps = v.wraps
	return n
}

// constant returns the one value for the given bits of the given type. Types
// of one bank share their constants.
func (f *fn) constant(t isa.Type, bits uint64) *value {
	if n := t.Bits(); n < 64 {
		bits &= 1<<n - 1
	}
	key := constKey{isa.IntOf(t.Bits()), bits}
	if v := f.consts[key]; v != nil {
		return v
	}
	v := f.newValue(irConst, key.t, key.t)
	v.imm = bits
	f.consts[key] = v
	return v
}

func (v *value) isConst() bool { return v.op == irConst }

// sext returns a constant's value as a signed number.
func (v *value) sext() int64 {
	n := 64 - v.typ.Bits()
	return int64(v.imm<<n) >> n
}

// leaf says whether v needs no place in a block.
func (v *value) leaf() bool {
	switch v.op {
	case irPhi, irStorage, irResult:
		return false
	}
	return v.op >= irConst
}

// root follows the replacements of v, shortening the path.
func (v *value) root() *value {
	r := v
	for r.repl != nil {
		r = r.repl
	}
	for v.repl != nil {
		v, v.repl = v.repl, r
		if v == r {
			break
		}
	}
	return r
}

// pure says whether an instruction has no effect but its result and may be
// dropped, moved and shared.
func pure(v *value) bool {
	switch v.op {
	case isa.OpLoad, isa.OpStore, isa.OpAtomic, isa.OpMemCopy, isa.OpFence, isa.OpPrintf, isa.OpClock,
		isa.OpReadFirst, isa.OpImageRead, isa.OpImageWrite,
		isa.OpGroupCopy, isa.OpGroupWait, isa.OpLaneCopy, isa.OpAsyncScope, isa.OpAsyncMark, isa.OpAsyncWait, isa.OpPipe, isa.OpCheck,
		irResult:
		return false
	case isa.OpDivU, isa.OpRemU:
		return v.args[1].isConst() && v.args[1].imm != 0
	case isa.OpDivS, isa.OpRemS, isa.OpModS:
		// Division by -1 may overflow.
		return v.args[1].isConst() && v.args[1].imm != 0 && v.args[1].sext() != -1
	}
	return !convergent(v)
}

// convergent says whether an instruction's result depends on which lanes run it
// together. Such a one stays in its block, neither shared with another nor
// copied, whatever its operands.
func convergent(v *value) bool {
	return v.op >= isa.OpShuffle && v.op <= isa.OpBlockStore || v.op == isa.OpImageBlockRead || v.op == isa.OpImageBlockWrite
}

// hasEffect says whether an instruction must stay although nobody uses its
// result. Loads and divisions stay because they may fault, and a fault is
// what people run lockstep to see; for the same reason operations across lanes
// stay that checks have something to say about.
func hasEffect(v *value) bool {
	if convergent(v) && v.flags&isa.FlagUniform == 0 {
		switch v.op {
		case isa.OpShuffle, isa.OpShuffle2:
			return uint32(v.imm) != isa.ShuffleLoose
		case isa.OpBlockLoad, isa.OpBlockStore, isa.OpImageBlockRead, isa.OpImageBlockWrite:
			return true
		}
		return false
	}
	return !pure(v)
}

// link adds the edge from b to s, once.
func link(b, s *block) int {
	for i, x := range b.succs {
		if x == s {
			return i
		}
	}
	b.succs = append(b.succs, s)
	s.preds = append(s.preds, b)
	return len(b.succs) - 1
}

// predIndex returns the place of p among b's predecessors.
func (b *block) predIndex(p *block) int {
	for i, x := range b.preds {
		if x == p {
			return i
		}
	}
	return -1
}

// setBr makes p end in a plain branch to its only successor s.
func setBr(p, s *block) {
	p.term, p.cond, p.table = termBr, nil, nil
	p.succs = []*block{s}
}

// replaceAll rewrites every use through the repl links that a pass has set,
// and drops the values that were replaced.
func (f *fn) replaceAll() {
	f.replacePhis()
	for _, b := range f.blocks {
		insts := b.insts[:0]
		for _, v := range b.insts {
			if v.repl == nil {
				insts = append(insts, v)
			}
		}
		b.insts = insts
	}
	for _, b := range f.blocks {
		for _, v := range b.insts {
			for i, a := range v.args {
				if a.repl != nil {
					v.args[i] = a.root()
				}
			}
		}
		if b.cond != nil {
			b.cond = b.cond.root()
		}
	}
}

// replacePhis is replaceAll for phis alone.
func (f *fn) replacePhis() {
	for _, b := range f.blocks {
		phis := b.phis[:0]
		for _, v := range b.phis {
			if v.repl != nil {
				continue
			}
			for i, a := range v.args {
				if a.repl != nil {
					v.args[i] = a.root()
				}
			}
			phis = append(phis, v)
		}
		b.phis = phis
	}
}
