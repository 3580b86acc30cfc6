package lower

import (
	"errors"
	"fmt"
	"iter"

	"github.com/lockstep-gpu/lockstep/isa"
)

// IR is a kernel in SSA form, as a [Pass] of somebody else may see and change
// it. It is valid while the pass runs.
//
// Values are scalars. Integers and floats of one width are interchangeable, so a
// bit cast is no instruction. Constants, arguments, and the addresses of
// variables are values without a place; all others stand in a block.
type IR struct {
	b *builder
	// Changes wait until somebody looks, so that many of them cost no more than one.
	replaced bool
	inserted map[*value][]*value // by what they stand ahead of
}

// flush carries out the changes that wait.
func (ir *IR) flush() {
	f := ir.b.f
	if len(ir.inserted) > 0 {
		grow := map[*block]bool{}
		for at := range ir.inserted {
			grow[at.blk] = true
		}
		for _, b := range f.blocks {
			if !grow[b] {
				continue
			}
			var insts []*value
			var put func(v *value)
			put = func(v *value) {
				for _, x := range ir.inserted[v] {
					put(x)
				}
				insts = append(insts, v)
			}
			for _, v := range b.insts {
				put(v)
			}
			b.insts = insts
		}
		ir.inserted = nil
	}
	if ir.replaced {
		f.replaceAll()
		ir.replaced = false
	}
}

// Kernel returns the kernel's name.
func (ir *IR) Kernel() string { return ir.b.k.Name }

// Metadata returns the kernel that is in the making: its parameters, its
// variables and what its module says about it. Its code is not there yet.
func (ir *IR) Metadata() *isa.Kernel { return ir.b.k }

// NumBlocks returns the number of blocks.
func (ir *IR) NumBlocks() int { return len(ir.b.f.blocks) }

// NumInsts returns the number of instructions, phis included and terminators
// left out.
func (ir *IR) NumInsts() int {
	ir.flush()
	n := 0
	for _, b := range ir.b.f.blocks {
		n += len(b.phis) + len(b.insts)
	}
	return n
}

// Insts walks over the instructions, block by block, phis first. A pass may
// replace the one at hand, and insert others, which this walk does not visit.
func (ir *IR) Insts() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		ir.flush()
		for _, b := range append([]*block(nil), ir.b.f.blocks...) {
			for _, list := range [2][]*value{b.phis, b.insts} {
				for _, v := range append([]*value(nil), list...) {
					if v.repl == nil && !yield(Value{v}) {
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
	return ir.b.f.text()
}

// Value is a value of a kernel: an instruction, or a constant, an argument or an
// address. The zero Value is none.
type Value struct{ v *value }

// IsPhi says whether the value is a phi.
func (x Value) IsPhi() bool { return x.v.op == irPhi }

// Op returns the opcode of an instruction; [isa.OpInvalid] for phis and for
// values that are no instructions.
func (x Value) Op() isa.Op {
	if x.v.op >= isa.NumOps {
		return isa.OpInvalid
	}
	return x.v.op
}

// Type returns the type of the value; [isa.Void] for an instruction without a
// result.
func (x Value) Type() isa.Type { return x.v.typ }

// Elem returns the type that the instruction works on: of the operands of a
// comparison or a conversion, of what a store stores.
func (x Value) Elem() isa.Type { return x.v.elem }

// Imm returns what the instruction has besides operands, as Inst.Imm: the number
// of a built-in, a function or a table.
func (x Value) Imm() uint64 { return x.v.imm }

// Args returns the operands. Those of a phi are in the order of the predecessors.
func (x Value) Args() []Value {
	out := make([]Value, len(x.v.args))
	for i, a := range x.v.args {
		out[i] = Value{a.root()}
	}
	return out
}

// Const returns the bits of a constant, zero-extended; false for other values.
func (x Value) Const() (uint64, bool) { return x.v.imm, x.v.isConst() }

// HasEffect says whether the instruction does more than make its result: it must
// stay even if nobody uses that.
func (x Value) HasEffect() bool { return !x.v.leaf() && x.v.op != irPhi && hasEffect(x.v) }

// String returns the value as -print-after shows it.
func (x Value) String() string {
	if x.v.leaf() {
		return x.v.name()
	}
	return x.v.text()
}

// Constant returns the constant with the given bits.
func (ir *IR) Constant(t isa.Type, bits uint64) Value { return Value{ir.b.f.constant(t, bits)} }

// errView is wrapped by what the methods below refuse.
var errView = errors.New("not possible in the kernel's SSA form")

// Replace makes every use of old one of by instead. old is dropped unless it
// has an effect, which it must not have. by must be there wherever old is used;
// the verifier finds out when it is not.
func (ir *IR) Replace(old, by Value) error {
	switch {
	case old.v == nil || by.v == nil:
		return fmt.Errorf("replace: a value that is none: %w", errView)
	case old.v.leaf():
		return fmt.Errorf("replace %s: not an instruction: %w", old, errView)
	case noResult(old.v) || noResult(by.v) || !sameWidth(old.v.typ, by.v.typ):
		return fmt.Errorf("replace %s of type %s by one of type %s: %w", old, old.v.typ, by.v.typ, errView)
	case old.HasEffect():
		return fmt.Errorf("replace %s: it has an effect: %w", old, errView)
	case by.v.root() == old.v.root():
		return fmt.Errorf("replace %s by itself: %w", old, errView)
	}
	old.v.repl = by.v.root()
	ir.replaced = true
	ir.b.f.valid &^= AnalysisUses
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
	if before.v == nil || before.v.leaf() || before.v.op == irPhi || before.v.repl != nil {
		return bad("there is no such place")
	}
	switch op.Info().Shape {
	case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad, isa.ShapeSelect, isa.ShapeCompare, isa.ShapeConvert:
	default:
		return bad("not arithmetic, a comparison, a conversion or a select")
	}
	f, blk := ir.b.f, before.v.blk
	list := make([]*value, len(args))
	for i, a := range args {
		if a.v == nil {
			return bad("operand %d is none", i)
		}
		list[i] = a.v.root()
	}
	v := f.newValue(op, typ, elem, list...)
	v.blk, v.loc = blk, before.v.loc
	if err := f.verifyOperands(v); err != nil {
		return bad("%v", err)
	}
	if convergent(v) || hasEffect(v) {
		return bad("it has an effect, or depends on which lanes run it")
	}
	f.valid &^= AnalysisUses
	if s := f.simplify(v); s != nil {
		return Value{s.root()}, nil
	}
	if ir.inserted == nil {
		ir.inserted = map[*value][]*value{}
	}
	ir.inserted[before.v] = append(ir.inserted[before.v], v)
	return Value{v}, nil
}
