package asm

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// generatorWord is the generator of the header that spirv-as writes: tool 7, the
// Khronos SPIR-V Tools Assembler, version 0.
const generatorWord = 7 << 16

// Options says how to assemble. The zero value is what spirv-as does without
// options.
type Options struct {
	// Version is the version in the header, and instructions that core SPIR-V has
	// only in later versions are refused unless a capability or an extension
	// brings them too. Zero means 1.6. See [TargetEnv].
	Version spirv.Version
	// PreserveNumericIDs gives ids that are written as numbers that number, and
	// the others the numbers between, from 1 up. Otherwise all ids are numbered in
	// the order in which they first appear.
	PreserveNumericIDs bool
}

// SyntaxError says why text does not assemble.
type SyntaxError struct {
	Line, Column int // of the word that is wrong, from 1; the column counts bytes
	Msg          string
}

// Error gives "line:column: message".
func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg) }

// Assemble gives the binary module of a text, little endian. The error is a
// [*SyntaxError]. Time and memory are proportional to the text.
func Assemble(text string, opts Options) ([]byte, error) {
	var keep map[uint32]bool
	if opts.PreserveNumericIDs {
		// Which numbers are taken is known at the end of the text only.
		dry := newAssembler(text, opts.Version, nil)
		if err := dry.module(); err != nil {
			return nil, err
		}
		keep = map[uint32]bool{}
		for name := range dry.ids {
			if n, ok := parseUint32(name); ok {
				keep[n] = true
			}
		}
	}
	a := newAssembler(text, opts.Version, keep)
	if err := a.module(); err != nil {
		return nil, err
	}
	out := make([]byte, 0, 4*(spirv.HeaderWords+len(a.words)))
	for _, w := range [...]uint32{spirv.Magic, uint32(a.version), generatorWord, a.bound, 0} {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	for _, w := range a.words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out, nil
}

// AssembleModule is [Assemble] followed by [spirv.Decode]. The error is a
// [*SyntaxError], or a [*spirv.DecodeError] where raw words in the text do not
// make instructions.
func AssembleModule(text string, opts Options) (*spirv.Module, error) {
	data, err := Assemble(text, opts)
	if err != nil {
		return nil, err
	}
	return spirv.Decode(data)
}

// assembler is the state of one Assemble.
type assembler struct {
	lex     *lexer
	version spirv.Version
	words   []uint32 // all instructions so far

	ids    map[string]uint32
	nextID uint32
	bound  uint32
	keep   map[uint32]bool // numbers that stand for themselves

	types      map[uint32]numberType // by type id; classUnknown for what is no number
	valueTypes map[uint32]uint32     // result id to type id
	sets       map[uint32]string     // OpExtInstImport to import name
	// typeNames holds the names of the result types of named values, for operands
	// whose value is defined further down. It is nil until it is needed.
	typeNames map[string]string
}

func newAssembler(text string, version spirv.Version, keep map[uint32]bool) *assembler {
	if version == 0 {
		version = spirv.Version16
	}
	return &assembler{
		lex:        newLexer(text),
		version:    version,
		ids:        map[string]uint32{},
		nextID:     1,
		bound:      1,
		keep:       keep,
		types:      map[uint32]numberType{},
		valueTypes: map[uint32]uint32{},
		sets:       map[uint32]string{},
	}
}

func (t token) errorf(format string, args ...any) error {
	return &SyntaxError{t.line, t.col, fmt.Sprintf(format, args...)}
}

// quote writes a word for a message, cut to a length that fits a line.
func quote(s string) string {
	const limit = 60
	if len(s) > limit {
		return fmt.Sprintf("%q…", s[:limit])
	}
	return fmt.Sprintf("%q", s)
}

// id gives the number of the id of that name, without its %.
func (a *assembler) id(name string) uint32 {
	if len(a.keep) > 0 {
		if n, ok := parseUint32(name); ok && a.keep[n] {
			a.raiseBound(n)
			return n
		}
	}
	if n, ok := a.ids[name]; ok {
		return n
	}
	for a.keep[a.nextID] {
		a.nextID++
	}
	n := a.nextID
	a.nextID++
	a.ids[name] = n
	a.raiseBound(n)
	return n
}

func (a *assembler) raiseBound(id uint32) {
	if id != math.MaxUint32 {
		a.bound = max(a.bound, id+1)
	}
}

// module assembles all instructions.
func (a *assembler) module() error {
	for !a.lex.peek(0).end() {
		if err := a.instruction(); err != nil {
			return err
		}
	}
	return nil
}

// instruction assembles the next instruction.
func (a *assembler) instruction() error {
	first := a.lex.peek(0)
	if first.text[0] == '!' {
		return a.rawInstruction()
	}
	in := inst{assembler: a, name: a.lex.next(), start: len(a.words)}
	if !isOpName(in.name.text) {
		if first.text[0] != '%' {
			return first.errorf("expected an opcode or a result id at the start of an instruction, found %s", quote(first.text))
		}
		in.result = first
		if eq := a.lex.next(); eq.end() {
			return eq.errorf("expected '=' after %s, found the end of the text", first.text)
		} else if eq.text != "=" {
			return eq.errorf("expected '=' after %s, found %s", first.text, quote(eq.text))
		}
		in.name = a.lex.next()
		switch {
		case in.name.end():
			return in.name.errorf("expected an opcode after '=', found the end of the text")
		case !isOpName(in.name.text):
			return in.name.errorf("expected an opcode after '=', found %s", quote(in.name.text))
		}
	}
	if in.name.text == "OpUnknown" {
		return in.unknown()
	}
	op, ok := lookupOp(in.name.text)
	if !ok {
		return in.name.errorf("there is no instruction %s", quote(in.name.text))
	}
	in.info, _ = op.Info()
	if !available(in.info, a.version) {
		return in.name.errorf("%s is not in SPIR-V %s (%s)", in.name.text, a.version, availability(in.info))
	}
	if !op.HasResult() && !in.result.end() {
		return in.result.errorf("cannot set %s: %s does not produce a result id", in.result.text, in.name.text)
	}
	return in.assemble()
}

// available reports whether a target of that version takes the instruction. What
// a capability or an extension enables is available everywhere; whether the
// module declares it is not the assembler's business.
func available(info *spirv.OpInfo, v spirv.Version) bool {
	if len(info.Capabilities) > 0 || len(info.Extensions) > 0 {
		return true
	}
	return v >= info.Since && (info.Until == 0 || v <= info.Until)
}

func availability(info *spirv.OpInfo) string {
	if info.Until != 0 {
		return fmt.Sprintf("from %s to %s", info.Since, info.Until)
	}
	return fmt.Sprintf("from %s on", info.Since)
}

// rawInstruction assembles an instruction that starts with !<integer>: words as
// they are written, up to the next instruction. Its word count is in the words.
func (a *assembler) rawInstruction() error {
	in := inst{assembler: a, name: a.lex.peek(0), start: len(a.words)}
	for first := true; first || !a.lex.peek(0).end() && !a.lex.atInstruction(); first = false {
		t := a.lex.next()
		if t.text == "=" {
			return t.errorf("%s is not allowed before =", in.name.text)
		}
		if err := in.literalOrID(t); err != nil {
			return err
		}
	}
	return nil
}

// numberOf gives the number type with an id, as literals are written in it;
// ok is false when the id is no number type.
func (a *assembler) numberOf(typeID uint32) (t numberType, ok bool) {
	t = a.types[typeID]
	return t, t.class != classUnknown
}

// typeOfOperand gives the number type of the value that the operand t names and
// that has the number id.
func (a *assembler) typeOfOperand(t token, id uint32) (numberType, bool) {
	if typ, ok := a.valueTypes[id]; ok {
		return a.numberOf(typ)
	}
	if a.typeNames == nil {
		a.typeNames = resultTypeNames(a.lex.text)
	}
	if len(t.text) == 0 || t.text[0] != '%' {
		return numberType{}, false
	}
	typeName, ok := a.typeNames[t.text[1:]]
	if !ok {
		return numberType{}, false
	}
	typ, ok := a.ids[typeName]
	if n, isNumber := parseUint32(typeName); isNumber && a.keep[n] {
		typ, ok = n, true
	}
	if !ok {
		return numberType{}, false
	}
	return a.numberOf(typ)
}

// resultTypeNames maps the names of values to the names of their types, as
// instructions of the assignment form in text give them.
func resultTypeNames(text string) map[string]string {
	names := map[string]string{}
	l := newLexer(text)
	for t := l.next(); !t.end(); t = l.next() {
		if t.text[0] != '%' || l.peek(0).text != "=" {
			continue
		}
		op, ok := lookupOp(l.peek(1).text)
		if typ := l.peek(2).text; ok && op.HasResultType() && len(typ) > 1 && typ[0] == '%' {
			if _, dup := names[t.text[1:]]; !dup {
				names[t.text[1:]] = typ[1:]
			}
		}
	}
	return names
}

// record notes what later instructions need to know of the instruction whose
// words are given: number types, the types of values, and imports.
func (a *assembler) record(at token, op spirv.Op, words []uint32) error {
	switch {
	case isType(op):
		id := words[1]
		if _, dup := a.types[id]; dup {
			return at.errorf("id %d has already been used to define a type", id)
		}
		t := numberType{}
		switch op {
		case spirv.OpTypeInt:
			if len(words) != 4 {
				return at.errorf("OpTypeInt of %d words, not 4", len(words))
			}
			t = numberType{class: classUnsigned, width: words[2]}
			if words[3] != 0 {
				t.class = classSigned
			}
		case spirv.OpTypeFloat:
			if len(words) != 3 && len(words) != 4 {
				return at.errorf("OpTypeFloat of %d words, not 3 or 4", len(words))
			}
			t = numberType{class: classFloat, width: words[2]}
			if len(words) == 4 {
				t.encoding, t.hasEncoding = words[3], true
			}
		}
		a.types[id] = t
	case op.HasResultType() && op.HasResult():
		// A second definition of a value is for a validator to find.
		if _, dup := a.valueTypes[words[2]]; !dup {
			a.valueTypes[words[2]] = words[1]
		}
	}
	return nil
}
