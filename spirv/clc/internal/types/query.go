package types

// Questions about types. An enumeration answers as the integer type that it has, where numbers are meant.

// Base returns the integer type of an enumeration, and other types as they are.
func (t *Type) Base() *Type {
	if t.Kind == EnumKind && t.Enum.Base != nil {
		return t.Enum.Base
	}
	return t
}

// IsVoid reports whether t is void.
func (t *Type) IsVoid() bool { return t.Kind == VoidKind }

// IsInvalid reports whether t is the type of an expression that is wrong.
func (t *Type) IsInvalid() bool { return t.Kind == Invalid }

// IsInteger reports whether t is a scalar integer type: bool and enumerations are.
func (t *Type) IsInteger() bool {
	return t.Kind >= BoolKind && t.Kind <= ULongKind || t.Kind == EnumKind
}

// IsFloat reports whether t is half, float or double.
func (t *Type) IsFloat() bool { return t.Kind >= HalfKind && t.Kind <= DoubleKind }

// IsArithmetic reports whether t is a number: an integer or a float, no vector.
func (t *Type) IsArithmetic() bool { return t.IsInteger() || t.IsFloat() }

// IsScalar reports whether t has one value that a condition may test: a number or a pointer.
func (t *Type) IsScalar() bool { return t.IsArithmetic() || t.Kind == PointerKind }

// IsVector reports whether t is a vector.
func (t *Type) IsVector() bool { return t.Kind == VectorKind }

// IsPointer reports whether t is a pointer.
func (t *Type) IsPointer() bool { return t.Kind == PointerKind }

// IsArray reports whether t is an array.
func (t *Type) IsArray() bool { return t.Kind == ArrayKind }

// IsStruct reports whether t is a structure or union.
func (t *Type) IsStruct() bool { return t.Kind == StructKind }

// IsFunction reports whether t is a function.
func (t *Type) IsFunction() bool { return t.Kind == FunctionKind }

// IsOpaque reports whether values of t are handles: images, samplers, events, reservations, pipes, queues.
func (t *Type) IsOpaque() bool { return t.Kind >= ImageKind && t.Kind <= QueueKind }

// Component returns the component type of a vector, and other types as they are, enumerations by Base.
func (t *Type) Component() *Type {
	if t.Kind == VectorKind {
		return t.Elem.Type
	}
	return t.Base()
}

// Lanes returns the number of components of a vector, and 1 for other types.
func (t *Type) Lanes() int {
	if t.Kind == VectorKind {
		return int(t.Len)
	}
	return 1
}

// IsSigned reports whether t, or the component of a vector, is a signed integer.
func (t *Type) IsSigned() bool {
	switch t.Component().Kind {
	case CharKind, ShortKind, IntKind, LongKind:
		return true
	}
	return false
}

// HasFloat reports whether t is a float or a vector of them.
func (t *Type) HasFloat() bool { return t.Component().IsFloat() }

// HasInteger reports whether t is an integer or a vector of them.
func (t *Type) HasInteger() bool { return t.Component().IsInteger() }

// Bits returns the width of a number, or of a vector's component, in bits; of bool, 8. It is 0 for other types.
func (t *Type) Bits() int {
	switch t.Component().Kind {
	case BoolKind, CharKind, UCharKind:
		return 8
	case ShortKind, UShortKind, HalfKind:
		return 16
	case IntKind, UIntKind, FloatKind:
		return 32
	case LongKind, ULongKind, DoubleKind:
		return 64
	}
	return 0
}

// Complete reports whether t has a size.
func (t *Type) Complete() bool {
	switch t.Kind {
	case VoidKind, FunctionKind, Invalid, BuiltinSet:
		return false
	case ArrayKind:
		return t.Len >= 0 && t.Elem.Complete()
	case StructKind:
		return t.Struct.Complete
	case EnumKind:
		return t.Enum.Complete
	}
	return true
}

// Unsigned returns the unsigned type of a signed integer's width, and other types as they are.
func (t *Table) Unsigned(x *Type) *Type {
	switch x.Base().Kind {
	case CharKind:
		return t.UChar
	case ShortKind:
		return t.UShort
	case IntKind:
		return t.UInt
	case LongKind:
		return t.ULong
	}
	return x
}

// Signed is the inverse of Unsigned.
func (t *Table) Signed(x *Type) *Type {
	switch x.Base().Kind {
	case UCharKind:
		return t.Char
	case UShortKind:
		return t.Short
	case UIntKind:
		return t.Int
	case ULongKind:
		return t.Long
	}
	return x
}

// SignedOf returns the signed integer type of as many bits.
func (t *Table) SignedOf(bits int) *Type {
	switch bits {
	case 8:
		return t.Char
	case 16:
		return t.Short
	case 32:
		return t.Int
	}
	return t.Long
}

// BoolVector returns the type that comparing values of type x gives in OpenCL C: int for scalars, for vectors a
// vector of signed integers of the components' width.
func (t *Table) BoolVector(x *Type) *Type {
	if x.Kind != VectorKind {
		return t.Int
	}
	return t.Vector(t.SignedOf(x.Bits()), x.Lanes())
}
