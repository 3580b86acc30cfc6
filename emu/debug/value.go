package debug

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/memory"
)

// ErrNoMemory is the error for bytes that do not exist.
var ErrNoMemory = errors.New("there is no memory")

// placeKind says what kind of place a value has.
type placeKind uint8

const (
	placeNone     placeKind = iota // a result
	placePrivate                   // of a work-item
	placeMemory                    // where a pointer leads: global memory and LDS
	placeRegister                  // of a lane
)

// place is where a value is.
type place struct {
	kind    placeKind
	item    int    // in the group, of private memory and registers
	alloc   int    // place in Kernel.Private
	off     uint64 // there
	pointer memory.Pointer
	reg     isa.Reg
	regType isa.Type
}

// Value is a value, with its type and place.
type Value struct {
	Type  *Type
	Bytes []byte
	Bit   Bits // of a bit-field: which bits of Bytes
	at    place
	item  int // the work-item whose private memory pointers lead to
	// lost says which of Bytes have been optimized out; nil for none. copied is where the debugger's copy of a
	// value that is not in memory is.
	lost   []bool
	copied place
}

// At returns the pointer to the value's memory, and whether it is in memory. That of private memory is the
// work-item's own.
func (v Value) At() (p memory.Pointer, ok bool) {
	switch v.at.kind {
	case placeMemory:
		return v.at.pointer, true
	case placePrivate:
		return memory.MakePointer(memory.SpacePrivate, uint32(v.at.alloc+1), int64(v.at.off)), true
	}
	return 0, false
}

// moved returns a place some bytes further on.
func (p place) moved(n uint64) place {
	p.off += n
	if p.kind == placeMemory {
		p.pointer = p.pointer.Add(int64(n))
	}
	return p
}

// lead returns the place that a pointer leads to, for a work-item.
func lead(p memory.Pointer, item int) place {
	if p.Space() == memory.SpacePrivate {
		return place{kind: placePrivate, item: item, alloc: int(p.Alloc()) - 1, off: uint64(p.Offset())}
	}
	return place{kind: placeMemory, pointer: p}
}

// bytesAt returns the memory that a pointer leads to, of n bytes.
func (s *Session) bytesAt(p memory.Pointer, n int) ([]byte, error) {
	var r *memory.Region
	switch p.Space() {
	case memory.SpaceGlobal:
		r = s.mem.Lookup(p.Alloc())
	case memory.SpaceLocal:
		if g, ok := s.stepper.Group(); ok {
			r = g.LDS.Lookup(p.Alloc())
		}
	}
	off := p.Offset()
	switch {
	case p == 0:
		return nil, fmt.Errorf("%w: the pointer is null", ErrNoMemory)
	case r == nil || r.Freed:
		return nil, fmt.Errorf("%w where the pointer leads", ErrNoMemory)
	case off < 0 || uint64(off) > uint64(len(r.Data)) || uint64(len(r.Data))-uint64(off) < uint64(n):
		return nil, fmt.Errorf("%w at byte %d of %s, which has %d", ErrNoMemory, off, orSomething(s.launch.Name(p)), len(r.Data))
	}
	return r.Data[off : off+int64(n)], nil
}

func orSomething(name string) string {
	if name == "" {
		return "the allocation"
	}
	return name
}

// readAt copies n bytes of a place.
func (s *Session) readAt(at place, n int) ([]byte, error) {
	switch at.kind {
	case placeMemory:
		p, err := s.bytesAt(at.pointer, n)
		return append([]byte(nil), p...), err
	case placePrivate:
		p := make([]byte, n)
		w, _, lane := s.waveOf(at.item)
		if w == nil || !w.ReadPrivate(lane, at.alloc, at.off, p) {
			return nil, fmt.Errorf("%w at byte %d of the work-item's variable", ErrNoMemory, int64(at.off))
		}
		return p, nil
	case placeRegister:
		w, _, lane := s.waveOf(at.item)
		if w == nil {
			return nil, ErrNoMemory
		}
		var p [8]byte
		binary.LittleEndian.PutUint64(p[:], w.Register(at.reg, at.regType, lane))
		return p[:n], nil
	}
	return nil, ErrNoMemory
}

// writeAt changes bytes of a place.
func (s *Session) writeAt(at place, p []byte) error {
	switch at.kind {
	case placeMemory:
		to, err := s.bytesAt(at.pointer, len(p))
		copy(to, p)
		return err
	case placePrivate:
		if w, _, lane := s.waveOf(at.item); w != nil && w.WritePrivate(lane, at.alloc, at.off, p) {
			return nil
		}
	case placeRegister:
		if w, _, lane := s.waveOf(at.item); w != nil {
			var b [8]byte
			copy(b[:], p)
			w.SetRegister(at.reg, at.regType, lane, binary.LittleEndian.Uint64(b[:]))
			return nil
		}
	}
	return ErrNoMemory
}

// maxValue is the number of bytes of the largest value that is read at once.
const maxValue = 1 << 20

// load returns the value of a type at a place.
func (s *Session) load(t *Type, at place, item int) (Value, error) {
	size := t.Size
	if size > maxValue {
		return Value{}, fmt.Errorf("%s has %d bytes, more than %d: look at a part", t, size, maxValue)
	}
	p, err := s.readAt(at, int(size))
	return Value{Type: t, Bytes: p, at: at, item: item}, err
}

// pointerOf returns the pointer that a value of a pointer type is.
func (s *Session) pointerOf(v Value) memory.Pointer {
	x := v.word()
	if len(v.Bytes) == 4 {
		g, _ := s.stepper.Group()
		var private []uint64
		for i := range s.kernel.Private {
			private = append(private, s.kernel.Private[i].Size)
		}
		return s.mem.Unpack32(g.LDS, private, uint32(x))
	}
	if p := memory.Pointer(x); p.Space() != memory.SpaceNone || !s.mem.Shares() {
		return p
	}
	return s.mem.AtAddress(x)
}

// word returns up to 8 bytes of the value as a number without a sign.
func (v Value) word() uint64 {
	var b [8]byte
	if v.Bit.Bits > 0 {
		lo, hi := uint64(0), uint64(0)
		copy(b[:], v.Bytes[min(v.Bit.Offset/8, uint64(len(v.Bytes))):])
		lo = binary.LittleEndian.Uint64(b[:])
		if at := v.Bit.Offset/8 + 8; at < uint64(len(v.Bytes)) {
			hi = uint64(v.Bytes[at])
		}
		shift := v.Bit.Offset % 8
		x := lo >> shift
		if shift > 0 {
			x |= hi << (64 - shift)
		}
		if v.Bit.Bits < 64 {
			x &= 1<<v.Bit.Bits - 1
		}
		return x
	}
	copy(b[:], v.Bytes)
	return binary.LittleEndian.Uint64(b[:])
}

// bits returns the width of a number.
func (v Value) bits() uint64 {
	if v.Bit.Bits > 0 {
		return v.Bit.Bits
	}
	return 8 * uint64(min(len(v.Bytes), 8))
}

// signed returns the number with its sign.
func (v Value) signed() int64 {
	n := v.bits()
	if n == 0 || n >= 64 {
		return int64(v.word())
	}
	return int64(v.word()<<(64-n)) >> (64 - n)
}

// float returns a floating-point number.
func (v Value) float() float64 {
	switch len(v.Bytes) {
	case 2:
		return clmath.F16ToF64(uint16(v.word()))
	case 4:
		return float64(math.Float32frombits(uint32(v.word())))
	}
	return math.Float64frombits(v.word())
}

// Child is a part of a value.
type Child struct {
	Name  string
	Value Value
	Err   error // why there is none
}

// vectorNames are the names of components.
var vectorNames = [...]string{"x", "y", "z", "w"}

// NumChildren returns how many parts a value has: members, elements, components, or what a pointer leads to.
func (s *Session) NumChildren(v Value) int {
	t := v.Type.strip()
	switch t.Kind {
	case isa.DebugStruct, isa.DebugUnion:
		return len(t.Members)
	case isa.DebugVector, isa.DebugArray:
		return int(min(t.Count, math.MaxInt32))
	case isa.DebugPointer:
		if _, some := v.Lost(); !some && t.Elem != nil && t.Elem.Size > 0 && s.pointerOf(v) != 0 {
			return 1
		}
	}
	return 0
}

// Children returns parts of a value, n from first on.
func (s *Session) Children(v Value, first, n int) (list []Child) {
	t := v.Type.strip()
	for i := max(first, 0); i < min(s.NumChildren(v), first+n); i++ {
		switch t.Kind {
		case isa.DebugPointer:
			x, err := s.load(t.Elem, lead(s.pointerOf(v), v.item), v.item)
			list = append(list, Child{Name: "*", Value: x, Err: err})
		case isa.DebugStruct, isa.DebugUnion:
			list = append(list, Child{Name: t.Members[i].Name, Value: member(v, &t.Members[i])})
		case isa.DebugVector:
			name := "s" + strconv.FormatInt(int64(i), 16)
			if t.Count <= 4 {
				name = vectorNames[i]
			}
			list = append(list, Child{Name: name, Value: element(v, t, uint64(i))})
		default:
			list = append(list, Child{Name: "[" + strconv.Itoa(i) + "]", Value: element(v, t, uint64(i))})
		}
	}
	return list
}

// member returns a member of a structure.
func member(v Value, m *Member) Value {
	if m.Bit.Bits > 0 {
		from, to := m.Bit.Offset/8, (m.Bit.Offset+m.Bit.Bits+7)/8
		return Value{Type: m.Type, Bytes: cut(v.Bytes, from, to-from), Bit: Bits{m.Bit.Offset % 8, m.Bit.Bits}, at: v.at.moved(from), item: v.item,
			lost: cutLost(v.lost, from, to-from), copied: v.copied.moved(from)}
	}
	return v.part(m.Type, m.Bit.Offset/8)
}

// element returns an element of an array or a vector, which has so many.
func element(v Value, t *Type, i uint64) Value {
	return v.part(t.Elem, i*t.Elem.Size)
}

// part returns the part of a value at a byte.
func (v Value) part(t *Type, off uint64) Value {
	return Value{
		Type: t, Bytes: cut(v.Bytes, off, t.Size), at: v.at.moved(off), item: v.item,
		lost: cutLost(v.lost, off, t.Size), copied: v.copied.moved(off),
	}
}

// cut returns n bytes from an offset on; zeros stand for those that are not there.
func cut(p []byte, off, n uint64) []byte {
	if off <= uint64(len(p)) && n <= uint64(len(p))-off {
		return p[off : off+n]
	}
	return make([]byte, min(n, maxValue))
}

// Text returns a value for people, in one line. Of arrays it has most elements at most.
func (s *Session) Text(v Value, most int) string {
	var b strings.Builder
	s.write(&b, v, most, 0)
	return b.String()
}

func (s *Session) write(b *strings.Builder, v Value, most, depth int) {
	t := v.Type.strip()
	if depth > maxTypeDepth {
		b.WriteString("…")
		return
	}
	if all, some := v.Lost(); all || some && !t.isComposite() {
		b.WriteString(optimizedOut)
		return
	}
	switch t.Kind {
	case isa.DebugBool:
		b.WriteString(strconv.FormatBool(v.word() != 0))
	case isa.DebugSigned, isa.DebugUnsigned:
		if name := t.enumerator(v.word()); name != "" {
			b.WriteString(name)
			return
		}
		if t.Kind == isa.DebugUnsigned {
			b.WriteString(strconv.FormatUint(v.word(), 10))
			return
		}
		b.WriteString(strconv.FormatInt(v.signed(), 10))
		if len(v.Bytes) == 1 && v.Bit.Bits == 0 && v.word() >= ' ' && v.word() < 127 {
			b.WriteString(" " + strconv.QuoteRune(rune(v.word())))
		}
	case isa.DebugFloat:
		bits := 8 * len(v.Bytes)
		b.WriteString(floatText(v.float(), bits))
	case isa.DebugPointer:
		b.WriteString(s.PointerText(s.pointerOf(v)))
	case isa.DebugHandle:
		if p, ok := s.PipeValue(v); ok {
			b.WriteString(s.PipeText(p, most))
			break
		}
		b.WriteString(s.handleText(v))
	case isa.DebugVector:
		b.WriteByte('(')
		s.writeList(b, v, t, most, depth)
		b.WriteByte(')')
	case isa.DebugArray:
		b.WriteByte('{')
		s.writeList(b, v, t, most, depth)
		b.WriteByte('}')
	case isa.DebugStruct, isa.DebugUnion:
		b.WriteByte('{')
		for i := range t.Members {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(t.Members[i].Name + " = ")
			s.write(b, member(v, &t.Members[i]), most, depth+1)
		}
		b.WriteByte('}')
	default:
		fmt.Fprintf(b, "%d bytes: % x", len(v.Bytes), v.Bytes[:min(len(v.Bytes), 32)])
	}
}

// writeList writes the elements of an array or a vector. Equal ones that follow each other are counted.
func (s *Session) writeList(b *strings.Builder, v Value, t *Type, most, depth int) {
	n := 0
	for i := uint64(0); i < t.Count; {
		if i > 0 {
			b.WriteString(", ")
		}
		if t.Kind == isa.DebugArray && n >= most {
			fmt.Fprintf(b, "… (%d elements)", t.Count)
			return
		}
		n++
		e := element(v, t, i)
		same := uint64(1)
		for t.Kind == isa.DebugArray && i+same < t.Count && alike(element(v, t, i+same), e) {
			same++
		}
		s.write(b, e, most, depth+1)
		if same < 5 {
			same = 1
		} else {
			fmt.Fprintf(b, " (%d times)", same)
		}
		i += same
	}
}

// alike says whether two values of a type read the same.
func alike(x, y Value) bool {
	return string(x.Bytes) == string(y.Bytes) && slices.Equal(x.lost, y.lost)
}

// floatText returns the shortest text that reads back as the number.
func floatText(x float64, bits int) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+")
	case bits == 16:
		return strconv.FormatFloat(x, 'g', 5, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, min(max(bits, 32), 64))
}

// PointerText names where a pointer leads: "x+8", "null".
func (s *Session) PointerText(p memory.Pointer) string {
	if p == 0 {
		return "null"
	}
	name := ""
	switch p.Space() {
	case memory.SpacePrivate:
		if n := int(p.Alloc()) - 1; n >= 0 && n < len(s.kernel.Private) {
			name = s.kernel.Private[n].Name
		}
	default:
		name = s.launch.Name(p)
	}
	if name == "" {
		name = fmt.Sprintf("%s#%d", p.Space(), p.Alloc())
	}
	if off := p.Offset(); off != 0 {
		return fmt.Sprintf("&%s%+d", name, off)
	}
	return "&" + name
}
