package gen

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// structLayout says how a structure or union of the program is a structure of the module. The layout of the latter
// follows from its members (natural alignment, or none with CPacked), so that there are members for padding, and a
// member for the bit-fields of a stretch of bytes. A union is one member, the one with the greatest alignment, with
// padding; the others are reached through pointers of other types.
type structLayout struct {
	packed  bool
	align   int64 // that SPIR-V's rules give the type
	members []spirvMember
	fields  []fieldPlace // by number of the field
	forward []types.Space
}

type spirvMember struct {
	typ    spirv.ID
	offset int64
	size   int64
	name   string
}

// fieldPlace is where a field is.
type fieldPlace struct {
	member int // number of the member; -1 if it is reached by a pointer to the whole (unions)
	typ    types.Qual
	bits   int // width of a bit-field, else -1
	shift  int // lowest bit of a bit-field within the bytes from offset
	offset int64
	bytes  int64 // of a bit-field: how many bytes are read and written; 1, 2, 4 or 8 for a member that is an integer
	whole  bool  // of a bit-field: member is an integer of bytes, else it is an array of bytes
	from   int64 // of a bit-field in an array of bytes: its first byte there
}

// structType returns the type of a structure or union.
func (m *module) structType(t *types.Type) spirv.ID {
	s := t.Struct
	l := &structLayout{}
	m.structs[s] = l
	if s.Union {
		m.layoutUnion(s, l)
	} else {
		m.layoutStruct(s, l)
	}
	operands := make([]uint32, 0, len(l.members))
	for _, x := range l.members {
		operands = append(operands, uint32(x.typ))
	}
	// Every structure of the program is a type of its own, with names.
	id := m.emitGlobal(spirv.OpTypeStruct, false, operands)
	m.ids(t).memory = id
	word := "struct."
	if s.Union {
		word = "union."
	}
	tag := s.Tag
	if tag == "" {
		tag = "anon"
	}
	m.name(id, word+tag)
	for i, x := range l.members {
		if x.name != "" {
			m.names.text(spirv.OpMemberName, x.name, uint32(id), uint32(i))
		}
	}
	if l.packed {
		m.decorate(id, spirv.DecorationCPacked)
	}
	for _, space := range l.forward {
		m.globals.op(spirv.OpTypePointer, uint32(m.ids(t).pointers[space]), uint32(class(space)), uint32(id))
	}
	return id
}

// bytesType returns the type of n bytes.
func (m *module) bytesType(n int64) spirv.ID { return m.arrayOf(m.intType(8), n) }

// layoutStruct finds the members of a structure.
func (m *module) layoutStruct(s *types.Struct, l *structLayout) {
	l.fields = make([]fieldPlace, len(s.Fields))
	l.packed = m.needsPacking(s)
	var end, align int64 = 0, 1 // where the members so far end by themselves, and their alignment
	add := func(typ spirv.ID, offset, size, a int64, name string) {
		if l.packed {
			a = 1
		}
		if at := (end + a - 1) / a * a; at < offset {
			l.members = append(l.members, spirvMember{m.bytesType(offset - end), end, offset - end, ""})
		}
		l.members = append(l.members, spirvMember{typ, offset, size, name})
		end, align = offset+size, max(align, a)
	}
	for i := 0; i < len(s.Fields); i++ {
		f := &s.Fields[i]
		if f.Bits >= 0 {
			i = m.layoutBits(s, l, i, add)
			continue
		}
		l.fields[i] = fieldPlace{member: -1, typ: f.Type, bits: -1, offset: f.Offset}
		size := m.types.SizeOf(f.Type.Type)
		typ := m.memoryType(f.Type.Type)
		if size == 0 { // a flexible array, or an empty structure: reached through a pointer
			continue
		}
		add(typ, f.Offset, size, m.natural(f.Type.Type), f.Name)
		l.fields[i].member = len(l.members) - 1
	}
	l.align = align
	if (end+align-1)/align*align < s.Size {
		l.members = append(l.members, spirvMember{m.bytesType(s.Size - end), end, s.Size - end, ""})
	}
	if len(l.members) == 0 {
		l.members = append(l.members, spirvMember{m.intType(8), 0, 1, ""})
	}
}

// natural returns the alignment that SPIR-V's rules give the type: attributes do not count.
func (m *module) natural(t *types.Type) int64 {
	switch t.Kind {
	case types.ArrayKind:
		return m.natural(t.Elem.Type)
	case types.StructKind:
		m.memoryType(t)
		return m.structs[t.Struct].align
	}
	return m.types.AlignOf(t)
}

// needsPacking reports whether natural alignment puts a member elsewhere than the program does.
func (m *module) needsPacking(s *types.Struct) bool {
	align := int64(1)
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Bits >= 0 {
			continue
		}
		a := m.natural(f.Type.Type)
		if f.Offset%a != 0 {
			return true
		}
		if m.types.SizeOf(f.Type.Type) != 0 {
			align = max(align, a)
		}
	}
	return s.Size%align != 0
}

// layoutBits makes members of the bit-fields from field i on, and returns the last of them. Fields whose bytes touch
// share a member: an integer if there is room for one, else an array of bytes.
func (m *module) layoutBits(s *types.Struct, l *structLayout, i int, add func(spirv.ID, int64, int64, int64, string)) int {
	first := func(f *types.Field) int64 { return 8*f.Offset + int64(f.Shift) }
	begin, end := i, int64(0)
	from := int64(-1)
	for ; i < len(s.Fields) && s.Fields[i].Bits >= 0; i++ {
		f := &s.Fields[i]
		if f.Bits == 0 {
			if from >= 0 {
				break
			}
			begin = i + 1
			continue
		}
		at := first(f)
		if from >= 0 && at%8 == 0 && at/8 >= end && (at/8)%f.Unit == 0 {
			break
		}
		if from < 0 {
			from = at / 8
		}
		end = (at + int64(f.Bits) + 7) / 8
	}
	if from < 0 {
		return i - 1
	}
	limit := s.Size
	for k := i; k < len(s.Fields); k++ {
		f := &s.Fields[k]
		if f.Bits == 0 {
			continue
		}
		limit = f.Offset
		if f.Bits > 0 {
			limit = first(f) / 8
		}
		break
	}
	size, whole := end-from, false
	for n := int64(1); n <= 8; n *= 2 {
		if n >= size && from%n == 0 && from+n <= limit {
			size, whole = n, true
			break
		}
	}
	if whole {
		add(m.intType(int(8*size)), from, size, size, "")
	} else {
		add(m.bytesType(size), from, size, 1, "")
	}
	for k := begin; k < i; k++ {
		f := &s.Fields[k]
		if f.Bits == 0 {
			continue
		}
		p := fieldPlace{member: len(l.members) - 1, typ: f.Type, bits: f.Bits, offset: from, whole: whole, bytes: size}
		p.shift = int(first(f) - 8*from)
		if !whole {
			p.from = int64(p.shift / 8)
			p.shift %= 8
			p.bytes = int64(p.shift+f.Bits+7) / 8
		}
		l.fields[k] = p
	}
	return i - 1
}

// layoutUnion finds the members of a union.
func (m *module) layoutUnion(s *types.Struct, l *structLayout) {
	best, align, size := -1, int64(0), int64(0)
	l.fields = make([]fieldPlace, len(s.Fields))
	for i := range s.Fields {
		f := &s.Fields[i]
		p := fieldPlace{member: -1, typ: f.Type, bits: f.Bits}
		if f.Bits > 0 {
			p.whole, p.bytes = false, int64(f.Bits+7)/8
		} else if f.Bits < 0 {
			n, a := m.types.SizeOf(f.Type.Type), m.types.AlignOf(f.Type.Type)
			if a > align || a == align && n > size {
				best, align, size = i, a, n
			}
		}
		l.fields[i] = p
	}
	l.align = 1
	if best >= 0 && size > 0 && s.Size%m.natural(s.Fields[best].Type.Type) == 0 {
		l.align = m.natural(s.Fields[best].Type.Type)
		l.members = append(l.members, spirvMember{m.memoryType(s.Fields[best].Type.Type), 0, size, s.Fields[best].Name})
		l.fields[best].member = 0
	} else {
		size = 0
	}
	if size < s.Size || size == 0 {
		l.members = append(l.members, spirvMember{m.bytesType(max(s.Size-size, 1)), size, s.Size - size, ""})
	}
}
