package asm

import (
	"errors"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// slot is an operand that an instruction may or must have next.
type slot struct {
	kind     spirv.OperandKind
	quantity spirv.Quantifier
	// typed marks the literal of a pair of OpSwitch, which is written in the type
	// of the selector.
	typed bool
	// loose stands for an optional literal or id of any kind. A raw word makes
	// the operands after it loose.
	loose bool
}

// inst is the state of assembling one instruction.
type inst struct {
	*assembler
	name   token // the opcode, or the first raw word
	result token // of the assignment form, the end token otherwise
	info   *spirv.OpInfo
	start  int    // its first word in assembler.words
	slots  []slot // operands to come, the next one last
	// selector is the first operand of OpSwitch.
	selector token
}

// length is the number of words so far.
func (in *inst) length() int { return len(in.words) - in.start }

func (in *inst) push(w uint32) { in.words = append(in.words, w) }

// expect puts operands before those that are to come.
func (in *inst) expect(list []spirv.Operand) {
	for i := len(list) - 1; i >= 0; i-- {
		in.slots = append(in.slots, slot{kind: list[i].Kind, quantity: list[i].Quantifier})
	}
}

// expectOne puts a mandatory operand of a kind before those that are to come.
func (in *inst) expectOne(kind spirv.OperandKind) {
	in.slots = append(in.slots, slot{kind: kind})
}

// assemble assembles an instruction of the grammar whose opcode has been taken.
func (in *inst) assemble() error {
	in.push(0)
	in.expect(in.info.Operands)
	for len(in.slots) > 0 {
		s := in.slots[len(in.slots)-1]
		in.slots = in.slots[:len(in.slots)-1]
		if in.expand(s) {
			continue
		}
		if s.kind == spirv.KindIdResult && !in.result.end() {
			if err := in.operand(in.result, s); err != nil {
				return err
			}
			continue
		}
		t := in.lex.peek(0)
		if t.end() || in.lex.atInstruction() {
			if s.quantity == spirv.Optional {
				break
			}
			return in.missing(t, s)
		}
		if err := in.operand(in.lex.next(), s); err != nil {
			return err
		}
	}
	if n := in.length(); n > spirv.MaxInstWords {
		return in.name.errorf("%s takes %d words, the most is %d", in.name.text, n, spirv.MaxInstWords)
	}
	words := in.words[in.start:]
	words[0] = uint32(len(words))<<16 | uint32(in.info.Op)
	return in.record(in.name, in.info.Op, words)
}

func (in *inst) missing(t token, s slot) error {
	if s.kind == spirv.KindIdResult {
		return in.name.errorf("%s produces a result id, which is missing: write %%name = %s", in.name.text, in.name.text)
	}
	if s.kind == spirv.KindLiteralSpecConstantOpInteger && isOpName(t.text) {
		return t.errorf("the operation of OpSpecConstantOp is written without Op, %s instead of %s", quote(t.text[2:]), quote(t.text))
	}
	if t.end() {
		return t.errorf("expected an operand of kind %s for %s, found the end of the text", s.kind, in.name.text)
	}
	return t.errorf("expected an operand of kind %s for %s, found the next instruction", s.kind, in.name.text)
}

// expand replaces a repeated or composite operand by simpler ones.
func (in *inst) expand(s slot) bool {
	if s.loose || s.quantity != spirv.Any && s.kind.Category() != spirv.CategoryComposite {
		return false
	}
	if s.quantity == spirv.Any {
		in.slots = append(in.slots, s)
	}
	// An optional or repeated composite is there when its first part is.
	first := spirv.Optional
	if s.quantity == spirv.One {
		first = spirv.One
	}
	switch s.kind {
	case spirv.KindPairLiteralIntegerIdRef:
		in.expectOne(spirv.KindIdRef)
		in.slots = append(in.slots, slot{kind: spirv.KindLiteralInteger, quantity: first, typed: true})
	case spirv.KindPairIdRefLiteralInteger:
		in.expectOne(spirv.KindLiteralInteger)
		in.slots = append(in.slots, slot{kind: spirv.KindIdRef, quantity: first})
	case spirv.KindPairIdRefIdRef:
		// OpPhi: the operands are taken one by one, an odd number of them too.
		in.slots = append(in.slots, slot{kind: spirv.KindIdRef, quantity: first})
	default:
		in.slots = append(in.slots, slot{kind: s.kind, quantity: first})
	}
	return true
}

// loosen is what a raw word does to the operands that are to come: they are
// literals or ids as they look, except that the result id keeps its place.
func (in *inst) loosen() {
	for i := len(in.slots) - 1; i >= 0; i-- {
		if in.slots[i].kind == spirv.KindIdResult && !in.slots[i].loose {
			before := len(in.slots) - 1 - i
			in.slots = append(in.slots[:0], slot{loose: true, quantity: spirv.Optional}, slot{kind: spirv.KindIdResult})
			for range before {
				in.slots = append(in.slots, slot{loose: true, quantity: spirv.Optional})
			}
			return
		}
	}
	in.slots = append(in.slots[:0], slot{loose: true, quantity: spirv.Optional})
}

// operand assembles the word t as the operand s.
func (in *inst) operand(t token, s slot) error {
	if in.length() > spirv.MaxInstWords {
		return in.name.errorf("%s takes more than %d words", in.name.text, spirv.MaxInstWords)
	}
	if t.text[0] == '!' {
		if err := in.rawWord(t); err != nil {
			return err
		}
		in.loosen()
		return nil
	}
	if s.loose {
		if err := in.literalOrID(t); err != nil {
			return err
		}
		if len(in.slots) == 0 {
			in.slots = append(in.slots, s)
		}
		return nil
	}
	switch s.kind.Category() {
	case spirv.CategoryID:
		return in.idOperand(t, s.kind)
	case spirv.CategoryBitEnum:
		return in.mask(t, s.kind)
	case spirv.CategoryValueEnum:
		e, ok := lookupEnumerant(s.kind, t.text)
		if !ok {
			return t.errorf("%s is no %s", quote(t.text), s.kind)
		}
		in.push(e.Value)
		in.expect(e.Operands)
		return nil
	}
	switch s.kind {
	case spirv.KindLiteralString:
		return in.stringOperand(t)
	case spirv.KindLiteralInteger:
		if s.typed {
			return in.switchLiteral(t)
		}
		return in.number(t, numberType{class: classUnsigned, width: 32})
	case spirv.KindLiteralFloat:
		return in.number(t, numberType{class: classFloat, width: 32})
	case spirv.KindLiteralContextDependentNumber:
		return in.constant(t)
	case spirv.KindLiteralExtInstInteger:
		return in.extInst(t)
	case spirv.KindLiteralSpecConstantOpInteger:
		return in.specConstantOp(t)
	}
	return t.errorf("operands of kind %s have no text form", s.kind)
}

// rawWord assembles !<integer>.
func (in *inst) rawWord(t token) error {
	w, ok := parseUint32(t.text[1:])
	if !ok {
		return t.errorf("%s is no raw word: expected ! and a 32-bit unsigned integer", quote(t.text))
	}
	in.push(w)
	return nil
}

func (in *inst) number(t token, typ numberType) error {
	words, err := appendNumber(in.words, t.text, typ)
	if err != nil {
		return t.errorf("%v", err)
	}
	in.words = words
	return nil
}

// literalOrID assembles a word by its looks: a raw word, a number of 32 bits, a
// string or an id.
func (in *inst) literalOrID(t token) error {
	switch c := t.text[0]; {
	case c == '!':
		return in.rawWord(t)
	case c == '"':
		return in.stringOperand(t)
	case c == '%':
		return in.idOperand(t, spirv.KindIdRef)
	}
	words, err := appendNumber(in.words, t.text, numberType{})
	if err != nil {
		return t.errorf("expected a literal or an id, found %s: %v", quote(t.text), err)
	}
	in.words = words
	return nil
}

func (in *inst) idOperand(t token, kind spirv.OperandKind) error {
	switch {
	case t.text[0] != '%' && kind == spirv.KindIdResult:
		return t.errorf("%s produces a result id: write %%name = %s, or the id in this place instead of %s", in.name.text, in.name.text, quote(t.text))
	case t.text[0] != '%':
		return t.errorf("expected an id, which starts with %%, found %s", quote(t.text))
	case !isIDName(t.text[1:]):
		return t.errorf("invalid id %s: only letters, digits and underscores may follow the %%", quote(t.text))
	}
	id := in.id(t.text[1:])
	in.push(id)
	if in.info == nil {
		return nil
	}
	switch in.info.Op {
	case spirv.OpSwitch:
		if in.length() == 2 {
			in.selector = t
		}
	case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		if _, ok := in.sets[id]; !ok && in.length() == 4 {
			return t.errorf("%s is not the result of an OpExtInstImport", t.text)
		}
	}
	return nil
}

func (in *inst) mask(t token, kind spirv.OperandKind) error {
	var mask uint32
	for name := range strings.SplitSeq(t.text, "|") {
		e, ok := lookupEnumerant(kind, name)
		if !ok {
			return t.errorf("%s is no %s", quote(name), kind)
		}
		mask |= e.Value
	}
	in.push(mask)
	for bit := 31; bit >= 0; bit-- { // the last ones first: what is put in front is taken first
		if mask>>bit&1 != 0 {
			if e, ok := kind.Value(1 << bit); ok {
				in.expect(e.Operands)
			}
		}
	}
	return nil
}

func (in *inst) stringOperand(t token) error {
	s, err := unquote(t.text)
	if err != nil {
		return t.errorf("expected a literal string, found %s: %v", quote(t.text), err)
	}
	if in.length()+len(s)/4+1 > spirv.MaxInstWords {
		return t.errorf("%s takes more than %d words with a string of %d bytes", in.name.text, spirv.MaxInstWords, len(s))
	}
	if in.info != nil && in.info.Op == spirv.OpExtInstImport && in.length() >= 2 {
		id := in.words[in.start+1]
		if _, dup := in.sets[id]; dup {
			return t.errorf("import id %d is defined a second time", id)
		}
		in.sets[id] = s
	}
	in.words = spirv.AppendString(in.words, s)
	return nil
}

var (
	errNoQuotes  = errors.New("it is not in double quotes")
	errOpenQuote = errors.New("the closing double quote is missing")
)

// unquote gives what stands between the quotes of a word, with the backslashes
// that keep characters removed.
func unquote(s string) (string, error) {
	if s == "" || s[0] != '"' {
		return "", errNoQuotes
	}
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", errOpenQuote
	}
	s = s[1 : len(s)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s, nil
	}
	var b strings.Builder
	escaping := false
	for i := range len(s) {
		if s[i] == '\\' && !escaping {
			escaping = true
			continue
		}
		b.WriteByte(s[i])
		escaping = false
	}
	return b.String(), nil
}

// constant assembles the value of OpConstant or OpSpecConstant.
func (in *inst) constant(t token) error {
	typ, ok := in.numberOf(in.words[in.start+1])
	if !ok {
		return t.errorf("the type of %s must be a scalar integer or floating-point type that is defined before it", in.name.text)
	}
	return in.number(t, typ)
}

// switchLiteral assembles a case of OpSwitch.
func (in *inst) switchLiteral(t token) error {
	typ, ok := in.typeOfOperand(in.selector, in.words[in.start+1])
	if !ok || typ.class == classFloat {
		return t.errorf("the selector %s of OpSwitch must be a scalar integer", in.selector.text)
	}
	return in.number(t, typ)
}

// extInst assembles the instruction of OpExtInst, by name or by number.
func (in *inst) extInst(t token) error {
	// The grammar of the instruction takes the place of the ids that the grammar
	// of OpExtInst has here.
	in.slots = in.slots[:0]
	ids := []spirv.Operand{{Kind: spirv.KindIdRef, Quantifier: spirv.Any}}
	importName := in.sets[in.words[in.start+3]]
	set, known := spirv.LookupExtInstSet(importName)
	var e *spirv.ExtInst
	found := false
	if known {
		e, found = set.InstNamed(t.text)
	}
	if !found {
		n, isNumber := parseUint32(t.text)
		if !isNumber {
			if !known {
				return t.errorf("the set %q is not known here: write the number of the instruction instead of %s", importName, quote(t.text))
			}
			return t.errorf("the set %q has no instruction %s", importName, quote(t.text))
		}
		if known {
			e, found = set.Inst(n)
		}
		if !found {
			in.push(n)
			in.expect(ids)
			return nil
		}
	}
	in.push(e.Number)
	if spirv.NonSemantic(importName) {
		in.expect(ids) // what later revisions of the set may add
	}
	in.expect(e.Operands)
	return nil
}

// specConstantOp assembles the opcode of OpSpecConstantOp.
func (in *inst) specConstantOp(t token) error {
	op, ok := lookupOp("Op" + t.text)
	if !ok || !specConstantOps[op] {
		return t.errorf("OpSpecConstantOp cannot do %s", quote(t.text))
	}
	in.push(uint32(op))
	info, _ := op.Info()
	in.expect(info.Operands[2:]) // without the result type and the result
	return nil
}

// unknown assembles OpUnknown(opcode, words) and its operands.
func (in *inst) unknown() error {
	if !in.result.end() {
		return in.result.errorf("OpUnknown cannot be assigned to %s: write the result id in its place among the operands", in.result.text)
	}
	var fields [2]uint32
	for i, open := range []string{"(", ","} {
		if t := in.lex.next(); t.text != open {
			return t.errorf("expected OpUnknown(opcode, number of words)")
		}
		t := in.lex.next()
		n, ok := parseUint32(t.text)
		if !ok || n > 0xffff {
			return t.errorf("%s is no 16-bit unsigned integer, as OpUnknown(opcode, number of words) needs", quote(t.text))
		}
		fields[i] = n
		if i == 1 && n == 0 {
			return t.errorf("an instruction of 0 words: the first word counts too")
		}
	}
	if t := in.lex.next(); t.text != ")" {
		return t.errorf("expected a closing parenthesis after the number of words")
	}
	in.push(fields[1]<<16 | fields[0])
	for in.length() < int(fields[1]) {
		t := in.lex.peek(0)
		if t.end() || in.lex.atInstruction() {
			return t.errorf("OpUnknown has %d words of %d", in.length(), fields[1])
		}
		if err := in.literalOrID(in.lex.next()); err != nil {
			return err
		}
	}
	if n := in.length(); n > int(fields[1]) {
		return in.name.errorf("OpUnknown has %d words, more than the %d it says", n, fields[1])
	}
	return nil
}
