package spirv

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Version is a version of SPIR-V as the module header holds it: 0x00MMmm00 with major MM and minor mm
// (section 2.3). Zero in the tables means "in no version": reached through an extension only.
type Version uint32

// The versions that [Decode] takes.
const (
	Version10 Version = 0x00010000
	Version16 Version = 0x00010600
)

// Major is the major version number.
func (v Version) Major() int { return int(v >> 16 & 0xff) }

// Minor is the minor version number.
func (v Version) Minor() int { return int(v >> 8 & 0xff) }

// String gives "major.minor".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major(), v.Minor()) }

// Op is an opcode, the low half of the first word of an instruction (section 2.3).
type Op uint16

// OpInfo is what the grammar says about an instruction.
type OpInfo struct {
	Op           Op
	Name         string       // with the Op prefix
	Aliases      []string     // older or newer names of the same opcode, with the Op prefix
	Class        string       // printing class, for instance "Arithmetic"
	Operands     []Operand    // in order, result type and result included
	Capabilities []Capability // any one of them enables the instruction; none: always enabled
	Extensions   []string     // any one of them enables the instruction
	Since        Version      // first version of core SPIR-V that has it, 0 for extensions only
	Until        Version      // last version that has it, 0 when it was never removed
	Provisional  bool
}

// Quantifier says how often an operand may stand.
type Quantifier uint8

// The quantifiers of the grammar.
const (
	One      Quantifier = iota // exactly once
	Optional                   // at most once ("?")
	Any                        // any number of times ("*")
)

// Operand describes one operand of an instruction, or one parameter of an enumerant.
type Operand struct {
	Kind       OperandKind
	Quantifier Quantifier
	Name       string // the name in the specification, empty where the grammar has none
}

// opMetaRow is the digest of an OpInfo that decoding needs.
type opMetaRow struct {
	index    uint16 // place in opTable plus one, 0 for an unknown opcode
	minWords uint8  // words that the mandatory operands take at least, leading word included
	typ, res bool
}

// nameRow is a row of a name index, sorted by name.
type nameRow struct {
	name  string
	index uint16
}

// findName gives the index that stands with name in rows.
func findName(rows []nameRow, name string) (int, bool) {
	lo, hi := 0, len(rows)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if rows[mid].name < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(rows) && rows[lo].name == name {
		return int(rows[lo].index), true
	}
	return 0, false
}

func (op Op) meta() opMetaRow {
	if int(op) < len(opMeta) {
		return opMeta[op]
	}
	return opMetaRow{}
}

// Info gives the grammar's entry of an opcode; ok is false when the grammar has none.
// The entry is shared and must not be changed.
func (op Op) Info() (info *OpInfo, ok bool) {
	m := op.meta()
	if m.index == 0 {
		return nil, false
	}
	return &opTable[m.index-1], true
}

// Known reports whether the grammar has the opcode.
func (op Op) Known() bool { return op.meta().index != 0 }

// HasResultType reports whether the second word of the instruction is a result type.
func (op Op) HasResultType() bool { return op.meta().typ }

// HasResult reports whether the instruction defines an id.
func (op Op) HasResult() bool { return op.meta().res }

// MinWords is the least number of words of the instruction, leading word included; 1 when unknown.
func (op Op) MinWords() int { return max(1, int(op.meta().minWords)) }

// String gives the name with its Op prefix, "OpUnknown(N)" for an opcode that the grammar lacks.
func (op Op) String() string {
	if info, ok := op.Info(); ok {
		return info.Name
	}
	return "OpUnknown(" + strconv.Itoa(int(op)) + ")"
}

// LookupOp finds an instruction by name or alias, Op prefix included.
func LookupOp(name string) (Op, bool) {
	if i, ok := findName(opNames[:], name); ok {
		return opTable[i].Op, true
	}
	return 0, false
}

// Ops yields every instruction of the grammar, by opcode.
func Ops() iter.Seq[*OpInfo] {
	return func(yield func(*OpInfo) bool) {
		for i := range opTable {
			if !yield(&opTable[i]) {
				return
			}
		}
	}
}

// Category tells what the words of an operand kind are.
type Category uint8

// The categories of the grammar.
const (
	CategoryID        Category = iota + 1 // one word, an id
	CategoryBitEnum                       // one word, a mask; parameters of the set bits follow, lowest bit first
	CategoryValueEnum                     // one word, a value; its parameters follow
	CategoryLiteral                       // a number or a string
	CategoryComposite                     // the kinds of Bases, one after the other
)

// OperandKind is a kind of operand: KindIdRef, KindStorageClass and so on.
type OperandKind uint8

type kindInfo struct {
	name       string
	category   Category
	bases      []OperandKind
	enumerants []Enumerant // by value
	names      []nameRow
}

// Enumerant is a named value of a BitEnum or ValueEnum kind.
type Enumerant struct {
	Name         string
	Aliases      []string
	Value        uint32
	Operands     []Operand    // parameters that follow the value
	Capabilities []Capability // any one of them enables the value; for a Capability: what it implies
	Extensions   []string     // any one of them enables the value
	Since        Version
	Until        Version
	Provisional  bool
}

func (k OperandKind) info() *kindInfo {
	if int(k) < len(kindTable) {
		return &kindTable[k]
	}
	return &kindTable[0]
}

// String gives the kind's name in the grammar, for instance "StorageClass".
func (k OperandKind) String() string {
	if n := k.info().name; n != "" {
		return n
	}
	return "OperandKind(" + strconv.Itoa(int(k)) + ")"
}

// Category tells what the words of the kind are.
func (k OperandKind) Category() Category { return k.info().category }

// Bases gives the parts of a Composite kind, nil for other kinds.
func (k OperandKind) Bases() []OperandKind { return k.info().bases }

// Enumerants gives the values of an enumeration, by value. The slice is shared and must not be changed.
func (k OperandKind) Enumerants() []Enumerant { return k.info().enumerants }

// Value finds the enumerant of a value. For a BitEnum, value is a single bit or zero.
func (k OperandKind) Value(value uint32) (*Enumerant, bool) {
	es := k.info().enumerants
	if int64(value) < int64(len(es)) && es[value].Value == value {
		return &es[value], true
	}
	lo, hi := 0, len(es)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if es[mid].Value < value {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(es) && es[lo].Value == value {
		return &es[lo], true
	}
	return nil, false
}

// Named finds the enumerant of a name or alias.
func (k OperandKind) Named(name string) (*Enumerant, bool) {
	info := k.info()
	if i, ok := findName(info.names, name); ok {
		return &info.enumerants[i], true
	}
	return nil, false
}

// ValueString writes a value with the names of the grammar: an enumerant's name, or names joined by
// "|" for a mask ("None" for an empty one). What has no name is written as a number.
func (k OperandKind) ValueString(v uint32) string {
	if k.Category() != CategoryBitEnum || v == 0 {
		if e, ok := k.Value(v); ok {
			return e.Name
		}
		if k.Category() == CategoryBitEnum {
			return "None"
		}
		return strconv.FormatUint(uint64(v), 10)
	}
	var b strings.Builder
	for bit := range 32 {
		mask := uint32(1) << bit
		if v&mask == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('|')
		}
		if e, ok := k.Value(mask); ok {
			b.WriteString(e.Name)
		} else {
			fmt.Fprintf(&b, "%#x", mask)
		}
	}
	return b.String()
}

// ExtInstSet is an extended instruction set (OpExtInstImport, section 3.3.4).
type ExtInstSet struct {
	Name    string   // the name that OpExtInstImport carries
	Aliases []string // other names of the same set

	family string // prefix of further import names, for sets that carry a revision in their name
	insts  []ExtInst
	names  []nameRow
}

// ExtInst is an instruction of an extended set.
type ExtInst struct {
	Number       uint32
	Name         string
	Operands     []Operand // those after the instruction number of OpExtInst
	Capabilities []Capability
}

// LookupExtInstSet finds a set by the name that OpExtInstImport carries.
func LookupExtInstSet(importName string) (*ExtInstSet, bool) {
	for i := range extInstSets {
		s := &extInstSets[i]
		if s.Name == importName || s.family != "" && strings.HasPrefix(importName, s.family) {
			return s, true
		}
		for _, a := range s.Aliases {
			if a == importName {
				return s, true
			}
		}
	}
	return nil, false
}

// ExtInstSets yields the known sets in a fixed order.
func ExtInstSets() iter.Seq[*ExtInstSet] {
	return func(yield func(*ExtInstSet) bool) {
		for i := range extInstSets {
			if !yield(&extInstSets[i]) {
				return
			}
		}
	}
}

// Insts gives the instructions of the set, by number. The slice is shared and must not be changed.
func (s *ExtInstSet) Insts() []ExtInst { return s.insts }

// Inst finds an instruction by number.
func (s *ExtInstSet) Inst(number uint32) (*ExtInst, bool) {
	lo, hi := 0, len(s.insts)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if s.insts[mid].Number < number {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(s.insts) && s.insts[lo].Number == number {
		return &s.insts[lo], true
	}
	return nil, false
}

// InstNamed finds an instruction by name.
func (s *ExtInstSet) InstNamed(name string) (*ExtInst, bool) {
	if i, ok := findName(s.names, name); ok {
		return &s.insts[i], true
	}
	return nil, false
}

// NonSemantic reports whether an import name is one of a set whose instructions have no semantic
// effect and may be ignored by whoever does not know the set (SPV_KHR_non_semantic_info).
func NonSemantic(importName string) bool {
	return strings.HasPrefix(importName, "NonSemantic.") && importName != "NonSemantic.Codeplay.GroupAsyncCopies"
}
