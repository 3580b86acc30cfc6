package spirv

import (
	"encoding/binary"
	"fmt"
)

// Magic is the first word of every module (section 2.3).
const Magic = 0x07230203

// HeaderWords is the number of words before the first instruction.
const HeaderWords = 5

// MaxInstWords is the greatest number of words of an instruction: the count has 16 bits.
const MaxInstWords = 1<<16 - 1

// ID is an id of a module; 0 is none.
type ID uint32

// Module is a decoded module: its header and its instructions in the order of the binary.
type Module struct {
	Version   Version
	Generator uint32 // tool number in the high half, its version in the low half
	Bound     uint32 // all ids are less than this, says the header; nothing has checked it
	Schema    uint32
	ByteOrder binary.ByteOrder // byte order of the binary; little endian when nil
	Insts     []Inst
}

// Inst is one instruction.
type Inst struct {
	Words  []uint32 // the whole instruction: word count and opcode, then the operands
	Offset int      // place of its first word in the module, in words, header included
}

// DecodeError says why bytes are no SPIR-V module, or why an instruction does not parse.
type DecodeError struct {
	Offset int    // word where the trouble starts, header included
	Inst   string // name of the instruction, empty in the header
	Reason string
}

// Error gives "spirv: word N: OpName: reason".
func (e *DecodeError) Error() string {
	if e.Inst == "" {
		return fmt.Sprintf("spirv: word %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("spirv: word %d: %s: %s", e.Offset, e.Inst, e.Reason)
}

func (in Inst) errorf(format string, args ...any) *DecodeError {
	return &DecodeError{Offset: in.Offset, Inst: in.Op().String(), Reason: fmt.Sprintf(format, args...)}
}

// byteOrder tells the byte order of a module by its magic number, nil when data does not start with it.
func byteOrder(data []byte) binary.ByteOrder {
	if len(data) < 4 {
		return nil
	}
	switch {
	case binary.LittleEndian.Uint32(data) == Magic:
		return binary.LittleEndian
	case binary.BigEndian.Uint32(data) == Magic:
		return binary.BigEndian
	}
	return nil
}

// IsBinary reports whether data starts with the magic number, in either byte order.
func IsBinary(data []byte) bool { return byteOrder(data) != nil }

// Decode cuts a binary of SPIR-V 1.0 to 1.6, of either byte order, into instructions. It checks the
// framing (section 2.3): whole words, the magic number, the version, word counts that fit, and that a
// known instruction has the words of its mandatory operands, so that ResultType, ResultID and the fixed
// operands are there. Unknown opcodes are kept as they are. The error is a [*DecodeError].
//
// Memory is proportional to len(data) whatever the header claims; data is not retained.
func Decode(data []byte) (*Module, error) {
	order := byteOrder(data)
	if order == nil {
		return nil, &DecodeError{Reason: "the data does not start with the SPIR-V magic number 0x07230203"}
	}
	if len(data)%4 != 0 {
		return nil, &DecodeError{Offset: len(data) / 4, Reason: fmt.Sprintf("the size of %d bytes is not a multiple of 4", len(data))}
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = order.Uint32(data[4*i:])
	}
	if len(words) < HeaderWords {
		return nil, &DecodeError{Offset: len(words), Reason: fmt.Sprintf("the header has %d words, the data %d", HeaderWords, len(words))}
	}
	m := &Module{
		Version:   Version(words[1]),
		Generator: words[2],
		Bound:     words[3],
		Schema:    words[4],
		ByteOrder: order,
	}
	if m.Version&0xff0000ff != 0 || m.Version < Version10 || m.Version > Version16 {
		return nil, &DecodeError{Offset: 1, Reason: fmt.Sprintf("version word %#08x is not one of SPIR-V 1.0 to 1.6", words[1])}
	}
	n := 0
	for at := HeaderWords; at < len(words); n++ {
		count := int(words[at] >> 16)
		in := Inst{Words: words[at : at+1], Offset: at}
		switch op := in.Op(); {
		case count == 0:
			return nil, in.errorf("word count 0")
		case count > len(words)-at:
			return nil, in.errorf("word count %d, but the module has %d words from here on", count, len(words)-at)
		case count < op.MinWords():
			return nil, in.errorf("word count %d, but its operands take %d words at least", count, op.MinWords())
		}
		at += count
	}
	m.Insts = make([]Inst, n)
	at := HeaderWords
	for i := range m.Insts {
		next := at + int(words[at]>>16)
		m.Insts[i] = Inst{Words: words[at:next:next], Offset: at}
		at = next
	}
	return m, nil
}

// Encode gives the binary of the module. For a module that came from [Decode] it is the very bytes that
// Decode read. The word count in the first word of an instruction must be the length of its Words.
func (m *Module) Encode() []byte {
	order := m.ByteOrder
	if order == nil {
		order = binary.LittleEndian
	}
	n := HeaderWords
	for _, in := range m.Insts {
		n += len(in.Words)
	}
	out := make([]byte, 4*n)
	for i, w := range [...]uint32{Magic, uint32(m.Version), m.Generator, m.Bound, m.Schema} {
		order.PutUint32(out[4*i:], w)
	}
	rest := out[4*HeaderWords:]
	for _, in := range m.Insts {
		for _, w := range in.Words {
			order.PutUint32(rest, w)
			rest = rest[4:]
		}
	}
	return out
}

// NewInst makes an instruction of an opcode and the words after the first one; its Offset is 0.
// It fails when the word count does not fit in 16 bits.
func NewInst(op Op, operands ...uint32) (Inst, error) {
	n := len(operands) + 1
	if n > MaxInstWords {
		return Inst{}, fmt.Errorf("spirv: %s of %d words, the most is %d", op, n, MaxInstWords)
	}
	words := make([]uint32, 1, n)
	words[0] = uint32(n)<<16 | uint32(op)
	return Inst{Words: append(words, operands...)}, nil
}

// Op is the opcode.
func (in Inst) Op() Op {
	if len(in.Words) == 0 {
		return OpNop
	}
	return Op(in.Words[0])
}

// ResultType is the id of the type of the result, 0 for an instruction without one.
func (in Inst) ResultType() ID {
	if m := in.Op().meta(); m.typ && len(in.Words) > 1 {
		return ID(in.Words[1])
	}
	return 0
}

// ResultID is the id that the instruction defines, 0 when it defines none.
func (in Inst) ResultID() ID {
	m := in.Op().meta()
	if !m.res {
		return 0
	}
	at := 1
	if m.typ {
		at = 2
	}
	if len(in.Words) <= at {
		return 0
	}
	return ID(in.Words[at])
}

// Operands gives the words after the result type and the result id; for an unknown opcode, all words
// but the first.
func (in Inst) Operands() []uint32 {
	m := in.Op().meta()
	at := 1
	if m.typ {
		at++
	}
	if m.res {
		at++
	}
	if len(in.Words) <= at {
		return nil
	}
	return in.Words[at:]
}

// Operand gives word i after the result type and the result id, 0 when there are not so many.
func (in Inst) Operand(i int) uint32 {
	if ops := in.Operands(); i < len(ops) {
		return ops[i]
	}
	return 0
}

// DecodeString reads a literal string (section 2.2.1): UTF-8, four bytes a word, lowest byte first,
// ended by a zero byte. It gives the text and the number of words that it took; ok is false when no
// word holds the zero byte. The bytes after the end are ignored, and nothing checks that it is UTF-8.
func DecodeString(words []uint32) (s string, n int, ok bool) {
	for i, w := range words {
		for b := range 4 {
			if byte(w>>(8*b)) != 0 {
				continue
			}
			buf := make([]byte, 4*i+b)
			for k := range buf {
				buf[k] = byte(words[k/4] >> (8 * (k % 4)))
			}
			return string(buf), i + 1, true
		}
	}
	return "", 0, false
}

// StringOperand reads the literal string that starts at operand word i, empty when there is none.
func (in Inst) StringOperand(i int) string {
	ops := in.Operands()
	if i >= len(ops) {
		return ""
	}
	s, _, _ := DecodeString(ops[i:])
	return s
}

// AppendString appends the words of a literal string. It stops at the first zero byte of s, which a
// literal string cannot hold.
func AppendString(words []uint32, s string) []uint32 {
	var w uint32
	n := 0
	for ; n < len(s) && s[n] != 0; n++ {
		w |= uint32(s[n]) << (8 * (n % 4))
		if n%4 == 3 {
			words = append(words, w)
			w = 0
		}
	}
	return append(words, w)
}
