package link

import (
	"errors"
	"fmt"
	"strings"
)

// What an [Error] is about; callers tell them apart with errors.Is.
var (
	// ErrUnresolved is an import that no module defines.
	ErrUnresolved = errors.New("is not defined")
	// ErrDuplicate is a name that two modules define.
	ErrDuplicate = errors.New("is defined more than once")
	// ErrMismatch is an import that is not what the definition is.
	ErrMismatch = errors.New("differs between modules")
	// ErrModel is modules for different addressing or memory models.
	ErrModel = errors.New("modules do not go together")
	// ErrMalformed is a module that is not one.
	ErrMalformed = errors.New("malformed module")
	// ErrTooLarge is a result that is larger than a module can be.
	ErrTooLarge = errors.New("too large")
)

// Side is what one module says.
type Side struct {
	Module string // its name
	Text   string
}

// Error is one reason why modules cannot be linked.
type Error struct {
	// Kind is one of the errors of this package.
	Kind error
	// Symbol is the name that it is about, or "".
	Symbol string
	// Reason goes on with a sentence that begins with the symbol.
	Reason string
	// Sides are the modules that do not agree, and what each of them says.
	Sides []Side
}

// Error gives the reason in one line and a line for each side.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Symbol != "" {
		fmt.Fprintf(&b, "%q ", e.Symbol)
	}
	b.WriteString(e.Reason)
	for _, s := range e.Sides {
		fmt.Fprintf(&b, "\n  %s: %s", s.Module, s.Text)
	}
	return b.String()
}

// Unwrap returns Kind.
func (e *Error) Unwrap() error { return e.Kind }

// maxErrors is the number of errors that are told.
const maxErrors = 20

// Errors is everything that is wrong, in the order of the modules.
type Errors []*Error

// Error gives the errors one after the other.
func (e Errors) Error() string {
	var b strings.Builder
	for i, err := range e {
		if i == maxErrors {
			fmt.Fprintf(&b, "\nand %d more", len(e)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(err.Error())
	}
	return b.String()
}

// Unwrap returns the errors.
func (e Errors) Unwrap() []error {
	list := make([]error, len(e))
	for i := range e {
		list[i] = e[i]
	}
	return list
}
