package isa

import (
	"fmt"
	"strconv"
)

// CheckKind says what an OpCheck asks of its operands.
type CheckKind uint8

// The kinds of checks.
const (
	CheckIndex  CheckKind = iota // a is an index into an array of Limit elements
	CheckVector                  // a is an index into a vector of Limit components
	CheckAdd                     // a + b fits in a signed integer of the type
	CheckSub                     // a - b does
	CheckMul                     // a * b does
	CheckNeg                     // -a does
	CheckShl                     // a << b does, as a * 2^b
	CheckToS                     // the float a, rounded to an integer, fits in a signed one of Limit bits
	CheckToU                     // in an unsigned one
	CheckSame                    // the pointers a and b lead into one object
	CheckLive                    // nothing: the Limit bytes of private memory at a are undefined from here on
	CheckDead                    // nothing: and no variable's, as its lifetime ends
	CheckOrder                   // nothing: semantics a and scope b are those of the barrier or fence behind it
	NumCheckKinds
)

var checkNames = [NumCheckKinds]string{"index", "component", "add", "sub", "mul", "neg", "shl", "to signed", "to unsigned", "one object", "live", "dead", "order"}

// String returns the kind's name in the text form.
func (c CheckKind) String() string {
	if c < NumCheckKinds {
		return checkNames[c]
	}
	return fmt.Sprintf("check(%d)", uint8(c))
}

// Operands returns how many operands a check of the kind has.
func (c CheckKind) Operands() int {
	switch c {
	case CheckAdd, CheckSub, CheckMul, CheckShl, CheckSame, CheckOrder:
		return 2
	}
	return 1
}

// Check is what an OpCheck asks, and what there is to say where it does not hold.
type Check struct {
	Kind CheckKind
	// Limit is the number of elements, or of the bits of an integer.
	Limit uint64
	// Unsigned says that an index counts as unsigned.
	Unsigned bool
	// Round is how a float becomes an integer.
	Round Round
	// Name is the array's, and Elem the type of its elements; "" where they are not known. Row
	// says that the array is one of those that Name is an array of.
	Name, Elem string
	Row        bool
}

// String returns the check's text form.
func (c *Check) String() string {
	s := c.Kind.String()
	if c.Limit != 0 {
		s += fmt.Sprintf(" %d", c.Limit)
	}
	if r := c.Round.String(); r != "" {
		s += " " + r
	}
	if c.Name != "" {
		s += " " + strconv.Quote(c.Name)
	}
	return s
}

// check says what is wrong with a check that in names.
func (c *Check) check(in *Inst) error {
	if c.Kind >= NumCheckKinds || c.Round > RoundRTN {
		return fmt.Errorf("unknown kind %d or rounding %d", c.Kind, c.Round)
	}
	set := SetInt
	switch c.Kind {
	case CheckToS, CheckToU:
		if set = SetFloats; c.Limit < 1 || c.Limit > 64 {
			return fmt.Errorf("an integer of %d bits", c.Limit)
		}
	case CheckSame, CheckLive, CheckDead:
		set = SetPtr
	}
	if !set.Has(in.Type) {
		return fmt.Errorf("%s does not work on %s", c.Kind, in.Type)
	}
	if c.Kind.Operands() == 1 && in.B != None {
		return fmt.Errorf("%s has one operand", c.Kind)
	}
	return nil
}
