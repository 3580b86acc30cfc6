package asm

import (
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// DisassembleOptions says how to print a module. The zero value is what
// spirv-dis --no-color does.
type DisassembleOptions struct {
	RawIDs   bool // numbers instead of friendly names, as --raw-id
	NoIndent bool // opcodes not lined up, as --no-indent
	NoHeader bool // no comments about the header in front, as --no-header
	Offsets  bool // the byte offset of each instruction in a comment, as --offsets
	Comments bool // section headings, and the number of each named id, as --comment
}

// indentation is the column at which opcodes stand, counted from 0.
const indentation = 15

// Disassemble gives the text of a module. Instructions that cannot be written in
// words, since the grammar lacks their opcode or an enumerant or they do not fit
// the grammar, are written as OpUnknown. Time and memory are proportional to the
// module.
//
// Assembling the text with raw ids and [Options].PreserveNumericIDs gives the
// instructions of m again, except for bits that have no text form: what follows the
// end of a literal string, and unused bits of the word of a narrow number. The
// text does not hold the header; version, generator and bound are comments.
func Disassemble(m *spirv.Module, opts DisassembleOptions) string {
	d := newDisassembler(m, opts)
	if !opts.NoHeader {
		d.header(m)
	}
	for _, in := range m.Insts {
		d.instruction(in)
	}
	return string(d.out)
}

// disassembler is the state of one Disassemble, or of a Printer.
type disassembler struct {
	opts   DisassembleOptions
	parser *spirv.Parser
	names  *namer // nil for raw ids
	out    []byte
	ops    []spirv.ParsedOperand

	// Which section headings have been printed.
	annotations, debug, types bool
}

func newDisassembler(m *spirv.Module, opts DisassembleOptions) *disassembler {
	d := &disassembler{opts: opts, parser: spirv.NewParser(m)}
	if !opts.RawIDs {
		d.names = friendlyNames(m, d.parser)
	}
	return d
}

func (d *disassembler) header(m *spirv.Module) {
	tool := m.Generator >> 16
	name, ok := GeneratorName(uint16(tool))
	if !ok {
		name = "Unknown(" + strconv.FormatUint(uint64(tool), 10) + ")"
	}
	d.text("; SPIR-V\n; Version: ")
	d.uint(uint64(m.Version.Major()))
	d.text(".")
	d.uint(uint64(m.Version.Minor()))
	d.text("\n; Generator: " + name + "; ")
	d.uint(uint64(m.Generator & 0xffff))
	d.text("\n; Bound: ")
	d.uint(uint64(m.Bound))
	d.text("\n; Schema: ")
	d.uint(uint64(m.Schema))
	d.text("\n")
}

func (d *disassembler) text(s string) { d.out = append(d.out, s...) }

func (d *disassembler) uint(v uint64) { d.out = strconv.AppendUint(d.out, v, 10) }

func (d *disassembler) pad() {
	if !d.opts.NoIndent {
		d.spaces(indentation)
	}
}

func (d *disassembler) spaces(n int) {
	for ; n > 0; n-- {
		d.out = append(d.out, ' ')
	}
}

func (d *disassembler) id(id spirv.ID) {
	d.out = append(d.out, '%')
	if d.names != nil {
		if name, ok := d.names.given(id); ok {
			d.text(name)
			return
		}
	}
	d.uint(uint64(id))
}

func (d *disassembler) instruction(in spirv.Inst) {
	if d.opts.Comments {
		d.headings(in)
	}
	start := len(d.out)
	if !d.known(in) {
		d.out = d.out[:start]
		d.raw(in)
	}
	if d.opts.Comments && in.Op() == spirv.OpName {
		d.text("  ; id %")
		d.uint(uint64(in.Operand(0)))
	}
	if d.opts.Offsets {
		d.text(" ; 0x")
		hex := strconv.FormatUint(4*uint64(in.Offset), 16)
		d.text(strings.Repeat("0", max(0, 8-len(hex))))
		d.text(hex)
	}
	d.text("\n")
}

// headings prints the comment in front of an instruction that starts a section.
func (d *disassembler) headings(in spirv.Inst) {
	heading := func(done *bool, text string) {
		if !*done {
			*done = true
			d.text("\n")
			d.pad()
			d.text("; " + text + "\n")
		}
	}
	op := in.Op()
	if op == spirv.OpFunction {
		d.text("\n")
		d.pad()
		d.text("; Function ")
		if d.names != nil {
			d.text(d.names.name(uint32(in.ResultID())))
		} else {
			d.uint(uint64(in.ResultID()))
		}
		d.text("\n")
	}
	switch {
	case isDecoration(op):
		heading(&d.annotations, "Annotations")
	case isDebug(op):
		heading(&d.debug, "Debug Information")
	case isType(op):
		heading(&d.types, "Types, variables and constants")
	}
}

// raw prints an instruction as numbers.
func (d *disassembler) raw(in spirv.Inst) {
	d.pad()
	d.text("OpUnknown(")
	d.uint(uint64(in.Op()))
	d.text(", ")
	d.uint(uint64(len(in.Words)))
	d.text(")")
	if len(in.Words) == 0 {
		return
	}
	for _, w := range in.Words[1:] {
		d.text(" ")
		d.uint(uint64(w))
	}
}

// known prints an instruction by the grammar. It gives up, with part of the text
// printed, when there is something that the grammar has no name for.
func (d *disassembler) known(in spirv.Inst) bool {
	if len(in.Words) == 0 {
		return false
	}
	op := in.Op()
	var err error
	if d.ops, err = d.parser.Parse(d.ops[:0], in); err != nil {
		return false
	}
	if op.HasResult() {
		at := len(d.out)
		d.id(in.ResultID())
		if width := len(d.out) - at; !d.opts.NoIndent && width < indentation-3 {
			d.out = d.out[:at]
			d.spaces(indentation - 3 - width)
			d.id(in.ResultID())
		}
		d.text(" = ")
	} else {
		d.pad()
	}
	d.text(op.String())
	for i := range d.ops {
		if d.ops[i].Kind == spirv.KindIdResult {
			continue
		}
		d.out = append(d.out, ' ')
		if !d.operand(in, &d.ops[i]) {
			return false
		}
	}
	return true
}

func (d *disassembler) operand(in spirv.Inst, o *spirv.ParsedOperand) bool {
	switch o.Kind.Category() {
	case spirv.CategoryID:
		d.id(o.ID())
		return true
	case spirv.CategoryValueEnum:
		e, ok := o.Kind.Value(o.Words[0])
		if ok {
			d.text(e.Name)
		}
		return ok
	case spirv.CategoryBitEnum:
		return d.mask(o.Kind, o.Words[0])
	}
	switch o.Kind {
	case spirv.KindLiteralString:
		d.string(o.Words)
	case spirv.KindLiteralFloat:
		d.out = appendFloatText(d.out, uint64(o.Words[0]), binary32)
	case spirv.KindLiteralExtInstInteger:
		if set, ok := d.parser.Set(spirv.ID(in.Operand(0))); ok {
			if e, ok := set.Inst(o.Words[0]); ok {
				d.text(e.Name)
				return true
			}
		}
		d.uint(uint64(o.Words[0]))
	case spirv.KindLiteralSpecConstantOpInteger:
		op := spirv.Op(o.Words[0])
		if o.Words[0] > 0xffff || !specConstantOps[op] {
			return false
		}
		d.text(strings.TrimPrefix(op.String(), "Op"))
	default:
		out, ok := appendNumberText(d.out, o.Words, o.Number)
		d.out = out
		return ok
	}
	return true
}

// mask prints the names of the bits that are set, lowest first, or the name of
// zero. Zero of a kind without such a name is printed as nothing, as spirv-dis does.
func (d *disassembler) mask(kind spirv.OperandKind, mask uint32) bool {
	if mask == 0 {
		if e, ok := kind.Value(0); ok {
			d.text(e.Name)
		}
		return true
	}
	for bit, first := 0, true; bit < 32; bit++ {
		if mask>>bit&1 == 0 {
			continue
		}
		e, ok := kind.Value(1 << bit)
		if !ok {
			return false
		}
		if !first {
			d.out = append(d.out, '|')
		}
		first = false
		d.text(e.Name)
	}
	return true
}

func (d *disassembler) string(words []uint32) {
	s, _, _ := spirv.DecodeString(words)
	d.out = append(d.out, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			d.out = append(d.out, '\\')
		}
		d.out = append(d.out, s[i])
	}
	d.out = append(d.out, '"')
}

// appendNumberText formats a literal number of at most two words; ok is false for
// formats that have no text form.
func appendNumberText(dst []byte, words []uint32, f spirv.NumberFormat) (out []byte, ok bool) {
	t := numberType{class: classUnsigned, width: 32}
	if f.Width != 0 {
		t = numberTypeOf(f)
	}
	if len(words) != t.words() || len(words) > 2 {
		return dst, false
	}
	bits := uint64(words[0])
	if len(words) == 2 {
		bits |= uint64(words[1]) << 32
	}
	if t.class != classFloat {
		return appendInt(dst, bits, t, len(words)), true
	}
	format, ok := formatOf(t)
	switch {
	case ok:
	case t.hasEncoding:
		return dst, false
	case len(words) == 1:
		format = binary32 // spirv-dis takes odd widths for the next IEEE 754 format
	default:
		format = binary64
	}
	if format.width() < 64 {
		bits &= 1<<format.width() - 1
	}
	return appendFloatText(dst, bits, format), true
}

func numberTypeOf(f spirv.NumberFormat) numberType {
	t := numberType{class: classUnsigned, width: uint32(f.Width)}
	switch {
	case f.Float:
		t.class = classFloat
		if f.Encoding != spirv.IEEE754 {
			t.encoding, t.hasEncoding = uint32(f.Encoding), true
		}
	case f.Signed:
		t.class = classSigned
	}
	return t
}
