package spirv

// ParsedOperand is one operand of an instruction as the grammar sees it.
type ParsedOperand struct {
	Kind   OperandKind
	Words  []uint32     // its words, part of the instruction's
	Number NumberFormat // how to read a literal number whose format depends on a type
	Param  bool         // a parameter of the enumerant before it
	Name   string       // name in the specification, may be empty
}

// ID is the first word as an id, for operands of category ID.
func (o ParsedOperand) ID() ID { return ID(o.Words[0]) }

// NumberFormat is the format of a literal number (section 2.2.1): the width of its type in bits, and
// how to read them. Width 0 means that no type says so: a 32-bit unsigned integer, or a LiteralFloat.
type NumberFormat struct {
	Width    int
	Float    bool
	Signed   bool
	Encoding FPEncoding // of a float; [IEEE754] when the type names none
}

// IEEE754 is the encoding of a floating-point type that names none.
const IEEE754 FPEncoding = ^FPEncoding(0)

// Parser splits the instructions of one module into operands. Some instructions cannot be split without
// others: literals of OpConstant and OpSwitch are as wide as a type says, and the operands of OpExtInst
// depend on the imported set. A Parser must not be used by several goroutines at once.
type Parser struct {
	index *Index
	sets  map[ID]*ExtInstSet
}

// NewParser makes a parser for the instructions of m. Build it anew after m changed.
func NewParser(m *Module) *Parser { return NewParserIndex(m.Index()) }

// NewParserIndex is [NewParser] for a module whose index is there already.
func NewParserIndex(x *Index) *Parser {
	return &Parser{index: x, sets: map[ID]*ExtInstSet{}}
}

// Set gives the extended instruction set that an OpExtInstImport with result id imports; ok is false
// when id is no import or the set is not known.
func (p *Parser) Set(id ID) (set *ExtInstSet, ok bool) {
	if set, ok = p.sets[id]; ok {
		return set, set != nil
	}
	in, ok := p.index.Def(id)
	if !ok || in.Op() != OpExtInstImport {
		return nil, false
	}
	set, ok = LookupExtInstSet(in.StringOperand(0))
	p.sets[id] = set
	return set, ok
}

// Number gives the format of literals of a type; ok is false when typ is no integer or
// floating-point type.
func (p *Parser) Number(typ ID) (f NumberFormat, ok bool) {
	in, ok := p.index.Def(typ)
	if !ok {
		return f, false
	}
	switch in.Op() {
	case OpTypeInt:
		return NumberFormat{Width: int(in.Operand(0)), Signed: in.Operand(1) != 0}, true
	case OpTypeFloat:
		f = NumberFormat{Width: int(in.Operand(0)), Float: true, Encoding: IEEE754}
		if len(in.Operands()) > 1 {
			f.Encoding = FPEncoding(in.Operand(1))
		}
		return f, true
	}
	return f, false
}

// parse is the state of one Parse.
type parse struct {
	p    *Parser
	in   Inst
	rest []uint32
	out  []ParsedOperand
}

// Parse appends the operands of in to dst, result type and result id included, and gives the extended
// slice. A composite kind yields its parts; a mask or enumerant is followed by its parameters. The words
// of the operands, one after the other, are the words of the instruction after the first.
//
// A value that the grammar does not name keeps its kind; when it is the last operand, the words after
// it are taken for its parameters, as LiteralInteger. The operands of an unknown extended instruction
// are IdRef. Anything else that does not fit the grammar is a [*DecodeError].
func (p *Parser) Parse(dst []ParsedOperand, in Inst) ([]ParsedOperand, error) {
	info, ok := in.Op().Info()
	if !ok {
		return dst, in.errorf("the opcode is not in the grammar")
	}
	s := parse{p: p, in: in, rest: in.Words[1:], out: dst}
	if err := s.operands(info.Operands); err != nil {
		return dst, err
	}
	if len(s.rest) > 0 {
		return dst, in.errorf("words left over after its last operand: %d", len(s.rest))
	}
	return s.out, nil
}

func (s *parse) operands(list []Operand) error {
	for i, o := range list {
		last := i == len(list)-1
		switch o.Quantifier {
		case One:
			if err := s.operand(o, last); err != nil {
				return err
			}
		case Optional:
			if len(s.rest) > 0 {
				if err := s.operand(o, last); err != nil {
					return err
				}
			}
		case Any:
			for len(s.rest) > 0 {
				if err := s.operand(o, last); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// take moves n words to the output as an operand of kind.
func (s *parse) take(o Operand, kind OperandKind, n int, f NumberFormat) error {
	if n > len(s.rest) {
		return s.missing(o, kind)
	}
	s.out = append(s.out, ParsedOperand{Kind: kind, Words: s.rest[:n:n], Number: f, Name: o.Name})
	s.rest = s.rest[n:]
	return nil
}

func (s *parse) missing(o Operand, kind OperandKind) error {
	if o.Name != "" {
		return s.in.errorf("operand %q (%s) is missing or cut short", o.Name, kind)
	}
	return s.in.errorf("an operand of kind %s is missing or cut short", kind)
}

// operand parses one operand; last says that the grammar has no further one.
func (s *parse) operand(o Operand, last bool) error {
	switch o.Kind.Category() {
	case CategoryID:
		return s.take(o, o.Kind, 1, NumberFormat{})
	case CategoryBitEnum, CategoryValueEnum:
		return s.enum(o, last)
	case CategoryComposite:
		for _, base := range o.Kind.Bases() {
			if err := s.operand(Operand{Kind: base, Name: o.Name}, false); err != nil {
				return err
			}
		}
		return nil
	}
	return s.literal(o)
}

func (s *parse) literal(o Operand) error {
	switch o.Kind {
	case KindLiteralString:
		_, n, ok := DecodeString(s.rest)
		if !ok {
			return s.in.errorf("a literal string does not end within the instruction")
		}
		return s.take(o, o.Kind, n, NumberFormat{})
	case KindLiteralContextDependentNumber:
		return s.number(o, s.in.ResultType())
	case KindLiteralInteger:
		if s.in.Op() == OpSwitch {
			return s.number(o, s.p.index.TypeOf(ID(s.in.Operand(0))))
		}
	case KindLiteralExtInstInteger:
		if err := s.take(o, o.Kind, 1, NumberFormat{}); err != nil {
			return err
		}
		return s.extInst()
	case KindLiteralSpecConstantOpInteger:
		if err := s.take(o, o.Kind, 1, NumberFormat{}); err != nil {
			return err
		}
		return s.specConstantOp()
	}
	return s.take(o, o.Kind, 1, NumberFormat{})
}

// number parses a literal of a numeric type.
func (s *parse) number(o Operand, typ ID) error {
	f, ok := s.p.Number(typ)
	if !ok {
		return s.in.errorf("the width of a literal is unknown: id %d is no integer or floating-point type", typ)
	}
	// A hostile width may be near 2^32; what does not fit in an instruction does not fit here.
	if f.Width <= 0 || f.Width > 32*MaxInstWords {
		return s.in.errorf("a literal of %d bits", uint32(f.Width))
	}
	return s.take(o, o.Kind, (f.Width+31)/32, f)
}

// enum parses a mask or a value, and its parameters.
func (s *parse) enum(o Operand, last bool) error {
	if err := s.take(o, o.Kind, 1, NumberFormat{}); err != nil {
		return err
	}
	v := s.out[len(s.out)-1].Words[0]
	first := len(s.out)
	unknown := false
	if o.Kind.Category() == CategoryValueEnum {
		e, ok := o.Kind.Value(v)
		unknown = !ok
		if ok {
			if err := s.operands(e.Operands); err != nil {
				return err
			}
		}
	} else {
		for bit := range 32 {
			if v>>bit&1 == 0 {
				continue
			}
			e, ok := o.Kind.Value(1 << bit)
			if !ok {
				unknown = true
				break // parameters of higher bits cannot be told from those of this one
			}
			if err := s.operands(e.Operands); err != nil {
				return err
			}
		}
	}
	for unknown && last && len(s.rest) > 0 {
		if err := s.take(Operand{}, KindLiteralInteger, 1, NumberFormat{}); err != nil {
			return err
		}
	}
	for i := first; i < len(s.out); i++ {
		s.out[i].Param = true
	}
	return nil
}

// extInst parses the operands of OpExtInst after the instruction number.
func (s *parse) extInst() error {
	generic := []Operand{{Kind: KindIdRef, Quantifier: Any}}
	set, ok := s.p.Set(ID(s.in.Operand(0)))
	if !ok {
		return s.operands(generic)
	}
	inst, ok := set.Inst(s.in.Operand(1))
	if !ok {
		return s.operands(generic)
	}
	if err := s.operands(inst.Operands); err != nil {
		return err
	}
	if len(s.rest) > 0 {
		return s.in.errorf("words left over after the last operand of %s: %d", inst.Name, len(s.rest))
	}
	return nil
}

// specConstantOp parses the operands of the operation inside OpSpecConstantOp (section 3.3.7).
func (s *parse) specConstantOp() error {
	raw := s.out[len(s.out)-1].Words[0]
	op := Op(raw)
	info, ok := op.Info()
	if !ok || raw > 0xffff {
		return s.in.errorf("opcode %d of the operation is not in the grammar", raw)
	}
	switch op {
	case OpSpecConstantOp, OpExtInst, OpExtInstWithForwardRefsKHR, OpSwitch, OpConstant, OpSpecConstant:
		return s.in.errorf("%s cannot be the operation", op)
	}
	if !op.HasResultType() || !op.HasResult() {
		return s.in.errorf("%s cannot be the operation: it has no result", op)
	}
	return s.operands(info.Operands[2:])
}
