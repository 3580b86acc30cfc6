package isa

import "fmt"

// Type is the element type that an instruction works on.
type Type uint8

// The element types. Pointers are I64 (package memory says what is in them).
const (
	Void Type = iota
	B1        // boolean, one bit a lane
	I8
	I16
	I32
	I64
	F16 // storage and conversion only; arithmetic is lowered to F32
	F32
	F64
	numTypes
)

var typeNames = [numTypes]string{"void", "b1", "i8", "i16", "i32", "i64", "f16", "f32", "f64"}

// String returns the type's name as the text form has it.
func (t Type) String() string {
	if t < numTypes {
		return typeNames[t]
	}
	return fmt.Sprintf("type(%d)", uint8(t))
}

// Bits returns the width of an element in bits: 0 for Void, 1 for B1.
func (t Type) Bits() int {
	switch t {
	case B1:
		return 1
	case I8:
		return 8
	case I16, F16:
		return 16
	case I32, F32:
		return 32
	case I64, F64:
		return 64
	}
	return 0
}

// Bytes returns what an element takes in memory: 1 for B1.
func (t Type) Bytes() int { return (t.Bits() + 7) / 8 }

// IsInt says whether t is I8, I16, I32 or I64.
func (t Type) IsInt() bool { return t >= I8 && t <= I64 }

// IsFloat says whether t is F16, F32 or F64.
func (t Type) IsFloat() bool { return t >= F16 && t <= F64 }

// Bank is a set of vector registers whose elements have one width.
type Bank uint8

// The banks, named in the text form m, vb, vh, vw and vd.
const (
	BankMask Bank = iota // 1 bit
	Bank8
	Bank16
	Bank32
	Bank64
	NumBanks
)

var bankNames = [NumBanks]string{"m", "vb", "vh", "vw", "vd"}

// String returns the prefix of the bank's registers in the text form.
func (b Bank) String() string {
	if b < NumBanks {
		return bankNames[b]
	}
	return fmt.Sprintf("bank(%d)", uint8(b))
}

// Bank returns the bank that holds elements of type t. It must not be called
// for Void.
func (t Type) Bank() Bank {
	switch t.Bits() {
	case 8:
		return Bank8
	case 16:
		return Bank16
	case 32:
		return Bank32
	case 64:
		return Bank64
	}
	return BankMask
}

// IntOf returns the integer type of the given width in bits (B1 for 1), or
// Void where there is none.
func IntOf(bits int) Type {
	switch bits {
	case 1:
		return B1
	case 8:
		return I8
	case 16:
		return I16
	case 32:
		return I32
	case 64:
		return I64
	}
	return Void
}

// FloatOf returns the float type of the given width in bits, or Void.
func FloatOf(bits int) Type {
	switch bits {
	case 16:
		return F16
	case 32:
		return F32
	case 64:
		return F64
	}
	return Void
}

// Reg names a register, or nothing. The bank of a vector register is not part
// of the name: it follows from the type that the instruction gives the operand.
type Reg int32

// None is the absent operand.
const None Reg = 0

// V returns vector register i of whatever bank the operand's type selects.
func V(i int) Reg { return Reg(i + 1) }

// S returns scalar register i.
func S(i int) Reg { return Reg(-i - 1) }

// IsVector says whether r is a vector register.
func (r Reg) IsVector() bool { return r > 0 }

// IsScalar says whether r is a scalar register.
func (r Reg) IsScalar() bool { return r < 0 }

// Index returns the register's number in its file; r must not be None.
func (r Reg) Index() int {
	if r > 0 {
		return int(r) - 1
	}
	return -int(r) - 1
}

// Name returns the register's name in the text form, given the operand's type.
func (r Reg) Name(t Type) string {
	switch {
	case r == None:
		return "_"
	case r.IsScalar():
		return fmt.Sprintf("s%d", r.Index())
	}
	return fmt.Sprintf("%s%d", t.Bank(), r.Index())
}
