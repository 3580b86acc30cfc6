package types

import "math"

// MaxSize is the size, in bytes, that no object exceeds.
const MaxSize = 1 << 39

// SizeOf returns the size of a type in bytes, 0 for incomplete and opaque types without one. Sizes that exceed
// MaxSize are MaxSize + 1.
func (t *Table) SizeOf(x *Type) int64 {
	switch x.Kind {
	case VectorKind:
		n := x.Len
		if n == 3 {
			n = 4
		}
		return n * t.SizeOf(x.Elem.Type)
	case PointerKind, ImageKind, SamplerKind, EventKind, ReserveIDKind, PipeKind, QueueKind:
		return int64(t.Config.AddressBits / 8)
	case ArrayKind:
		if x.Len <= 0 {
			return 0
		}
		n := t.SizeOf(x.Elem.Type)
		if n != 0 && x.Len > MaxSize/n {
			return MaxSize + 1
		}
		return n * x.Len
	case StructKind:
		return x.Struct.Size
	}
	return int64(x.Base().Bits() / 8)
}

// AlignOf returns the alignment of a type in bytes, at least 1.
func (t *Table) AlignOf(x *Type) int64 {
	switch x.Kind {
	case ArrayKind:
		return t.AlignOf(x.Elem.Type)
	case StructKind:
		return max(x.Struct.Align, 1)
	}
	return max(t.SizeOf(x), 1)
}

// Layout gives the fields of a structure or union their offsets, as C does on this device, and the whole its size
// and alignment. Bit-fields are placed as clang places them: in units of their declared type, which they do not
// straddle unless the structure is packed.
func (t *Table) Layout(s *Struct) {
	var bits, size int64 // the next free bit, and the end of the largest member of a union
	align := int64(1)
	for i := range s.Fields {
		f := &s.Fields[i]
		n, a := t.SizeOf(f.Type.Type), t.AlignOf(f.Type.Type)
		if f.Type.IsArray() && f.Type.Len < 0 {
			n, s.Flexible = 0, true
		}
		if s.Packed || f.Packed {
			a = 1
		}
		a = max(a, f.Align)
		if s.MaxAlign > 0 {
			a = min(a, s.MaxAlign)
		}
		if s.Union {
			bits = 0
		}
		switch {
		case f.Bits < 0:
			bits = (bits + 8*a - 1) / (8 * a) * 8 * a
			f.Offset = bits / 8
			if n > MaxSize-f.Offset {
				bits = 8 * (MaxSize + 1)
			} else {
				bits += 8 * n
			}
			align = max(align, a)
		case f.Bits == 0:
			bits = (bits + 8*n - 1) / (8 * n) * 8 * n
			f.Offset, f.Unit = bits/8, n
		default:
			w := int64(f.Bits)
			if f.Align > 0 {
				bits = (bits + 8*f.Align - 1) / (8 * f.Align) * 8 * f.Align
			}
			if !s.Packed && !f.Packed && bits/(8*n) != (bits+w-1)/(8*n) {
				bits = (bits + 8*n - 1) / (8 * n) * 8 * n
			}
			// The unit is the smallest that has all bits: a packed field may begin at any bit.
			f.Unit = n
			f.Offset = bits / (8 * n) * n
			if bits-8*f.Offset+w > 8*n || s.Packed || f.Packed {
				f.Offset = bits / 8
				f.Unit = (bits - 8*f.Offset + w + 7) / 8
			}
			f.Shift = int(bits - 8*f.Offset)
			bits += w
			if f.Name != "" || f.Align > 0 {
				align = max(align, a)
			}
		}
		size = max(size, (bits+7)/8)
	}
	align = max(align, s.MinAlign)
	s.Align = align
	if size > math.MaxInt64-align {
		size = MaxSize + 1
	}
	s.Size = (size + align - 1) / align * align
}
