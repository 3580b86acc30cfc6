package lower

import (
	"errors"
	"fmt"
	"iter"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
)

// IR is a kernel in SSA form, as a [Pass] of somebody else may see and change
// it. It is valid while the pass runs.
//
// Values are scalars. Integers and floats of one width are interchangeable, so a
// bit cast is no instruction. Constants, arguments, and the addresses of
// variables are values without a place; all others stand in a block.
type IR struct {
	b *build.Builder
	// Changes wait until somebody looks, so that many of them cost no more than one.
	replaced bool
	inserted map[*ssa.Value][]*ssa.Value // by what they stand ahead of
}

// flush carries out the changes that wait.
func (ir *IR) flush() {
	f := ir.b.Func
	if len(ir.inserted) > 0 {
		grow := map[*ssa.Block]bool{}
		for at := range ir.inserted {
			grow[at.Block] = true
		}
		for _, b := range f.Blocks {
			if !grow[b] {
				continue
			}
			var insts []*ssa.Value
			var put func(v *ssa.Value)
			put = func(v *ssa.Value) {
				for _, x := range ir.inserted[v] {
					put(x)
				}
				insts = append(insts, v)
			}
			for _, v := range b.Insts {
				put(v)
			}
			b.Insts = insts
		}
		ir.inserted = nil
	}
	if ir.replaced {
		f.ReplaceAll()
		ir.replaced = false
	}
}

// Kernel returns the kernel's name.
func (ir *IR) Kernel() string { return ir.b.Kernel.Name }

// Metadata returns the kernel that is in the making: its parameters, its
// variables and what its module says about it. Its code is not there yet.
func (ir *IR) Metadata() *isa.Kernel { return ir.b.Kernel }

// NumBlocks returns the number of blocks.
func (ir *IR) NumBlocks() int { return len(ir.b.Func.Blocks) }

// NumInsts returns the number of instructions, phis included and terminators
// left out.
func (ir *IR) NumInsts() int {
	ir.flush()
	n := 0
	for _, b := range ir.b.Func.Blocks {
		n += len(b.Phis) + len(b.Insts)
	}
	return n
}

// Insts walks over the instructions, block by block, phis first. A pass may
// replace the one at hand, and insert others, which this walk does not visit.
func (ir *IR) Insts() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		ir.flush()
		for _, b := range append([]*ssa.Block(nil), ir.b.Func.Blocks...) {
			for _, list := range [2][]*ssa.Value{b.Phis, b.Insts} {
				for _, v := range append([]*ssa.Value(nil), list...) {
					if v.Repl == nil && !yield(Value{v}) {
						return
					}
				}
			}
		}
	}
}

// String returns the text that -print-after shows.
func (ir *IR) String() string {
	ir.flush()
	return ir.b.Func.String()
}

// Value is a value of a kernel: an instruction, or a constant, an argument or an
// address. The zero Value is none.
type Value struct{ v *ssa.Value }

// IsPhi says whether the value is a phi.
func (x Value) IsPhi() bool { return x.v.Op == ssa.OpPhi }

// Op returns the opcode of an instruction; [isa.OpInvalid] for phis and for
// values that are no instructions.
func (x Value) Op() isa.Op {
	if x.v.Op >= isa.NumOps {
		return isa.OpInvalid
	}
	return x.v.Op
}

// Type returns the type of the value; [isa.Void] for an instruction without a
// result.
func (x Value) Type() isa.Type { return x.v.Type }

// Elem returns the type that the instruction works on: of the operands of a
// comparison or a conversion, of what a store stores.
func (x Value) Elem() isa.Type { return x.v.Elem }

// Imm returns what the instruction has besides operands, as Inst.Imm: the number
// of a built-in, a function or a table.
func (x Value) Imm() uint64 { return x.v.Imm }

// Args returns the operands. Those of a phi are in the order of the predecessors.
func (x Value) Args() []Value {
	out := make([]Value, len(x.v.Args))
	for i, a := range x.v.Args {
		out[i] = Value{a.Root()}
	}
	return out
}

// Const returns the bits of a constant, zero-extended; false for other values.
func (x Value) Const() (uint64, bool) { return x.v.Imm, x.v.IsConst() }

// HasEffect says whether the instruction does more than make its result: it must
// stay even if nobody uses that.
func (x Value) HasEffect() bool { return !x.v.Leaf() && x.v.Op != ssa.OpPhi && ssa.HasEffect(x.v) }

// String returns the value as -print-after shows it.
func (x Value) String() string {
	if x.v.Leaf() {
		return x.v.Name()
	}
	return x.v.LongString()
}

// Constant returns the constant with the given bits.
func (ir *IR) Constant(t isa.Type, bits uint64) Value { return Value{ir.b.Func.Constant(t, bits)} }

// errView is wrapped by what the methods below refuse.
var errView = errors.New("not possible in the kernel's SSA form")

// Replace makes every use of old one of by instead. old is dropped unless it
// has an effect, which it must not have. by must be there wherever old is used;
// the verifier finds out when it is not.
func (ir *IR) Replace(old, by Value) error {
	switch {
	case old.v == nil || by.v == nil:
		return fmt.Errorf("replace: a value that is none: %w", errView)
	case old.v.Leaf():
		return fmt.Errorf("replace %s: not an instruction: %w", old, errView)
	case ssa.NoResult(old.v) || ssa.NoResult(by.v) || !ssa.SameWidth(old.v.Type, by.v.Type):
		return fmt.Errorf("replace %s of type %s by one of type %s: %w", old, old.v.Type, by.v.Type, errView)
	case old.HasEffect():
		return fmt.Errorf("replace %s: it has an effect: %w", old, errView)
	case by.v.Root() == old.v.Root():
		return fmt.Errorf("replace %s by itself: %w", old, errView)
	}
	old.v.Repl = by.v.Root()
	ir.replaced = true
	ir.b.Func.Valid &^= ssa.AnalysisUses
	return nil
}

// Insert makes an instruction without an effect ahead of another one that is no
// phi, and returns its result, or what it amounts to. typ is that of the result,
// elem what the instruction works on. Only instructions whose operands and types
// say everything can be made: arithmetic, comparisons, conversions and selects.
func (ir *IR) Insert(before Value, op isa.Op, typ, elem isa.Type, args ...Value) (Value, error) {
	bad := func(format string, a ...any) (Value, error) {
		return Value{}, fmt.Errorf("insert %s: %s: %w", op, fmt.Sprintf(format, a...), errView)
	}
	if before.v == nil || before.v.Leaf() || before.v.Op == ssa.OpPhi || before.v.Repl != nil {
		return bad("there is no such place")
	}
	switch op.Info().Shape {
	case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad, isa.ShapeSelect, isa.ShapeCompare, isa.ShapeConvert:
	default:
		return bad("not arithmetic, a comparison, a conversion or a select")
	}
	f, blk := ir.b.Func, before.v.Block
	list := make([]*ssa.Value, len(args))
	for i, a := range args {
		if a.v == nil {
			return bad("operand %d is none", i)
		}
		list[i] = a.v.Root()
	}
	v := f.NewValue(op, typ, elem, list...)
	v.Block, v.Loc = blk, before.v.Loc
	if err := f.VerifyOperands(v); err != nil {
		return bad("%v", err)
	}
	if ssa.Convergent(v) || ssa.HasEffect(v) {
		return bad("it has an effect, or depends on which lanes run it")
	}
	f.Valid &^= ssa.AnalysisUses
	if s := opt.SimplifyValue(f, v); s != nil {
		return Value{s.Root()}, nil
	}
	if ir.inserted == nil {
		ir.inserted = map[*ssa.Value][]*ssa.Value{}
	}
	ir.inserted[before.v] = append(ir.inserted[before.v], v)
	return Value{v}, nil
}
