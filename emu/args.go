package emu

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Arg is what a launch gives a kernel's parameter: a [*Buffer], an [*Image], a [*Pipe], a [Sampler], or what
// [Value], [Vector], [Bytes], [LocalBytes], [Resource], [SVM.At] or [Null] return.
type Arg interface {
	argument() argument
}

// argKind is a kind of argument, with a file of its own: arg_value.go, arg_buffer.go and so on. Values of
// it are compared, so that they have no fields.
type argKind interface {
	// describe says what was given, for messages.
	describe(a *argument) string
	// suits says whether a parameter takes arguments of the kind.
	suits(p *isa.Param) bool
	// check looks at the argument for a parameter that the kind suits. It returns what is wrong with it, and
	// the error that this wraps; "" when nothing is.
	check(a *argument, k *Kernel, p *isa.Param) (reason string, err error)
	// fill gives argument i to the launch when its turn has come and the device is held. value is what the
	// parameter's register starts as, where the parameter is no ParamValue.
	fill(p *prepared, i int) (value uint64, err error)
}

// argument is what all arguments come down to.
type argument struct {
	kind    argKind
	bytes   []byte
	buffer  *Buffer
	image   *Image
	pipe    *Pipe
	sampler Sampler
	local   uint64
	what    string // of bytes, for messages: "int32"

	offset  uint64 // of a pointer into shared memory
	stride  uint16 // of a resource
	records uint32
}

func (a argument) argument() argument { return a }

// isPointer says whether the argument is a pointer into a buffer.
func (a *argument) isPointer() bool { return a.kind == (bufferArg{}) || a.kind == (svmArg{}) }

// describe says what was given, for messages.
func (a *argument) describe() string {
	if a.kind == nil {
		return "nothing"
	}
	return a.kind.describe(a)
}

// wants says what a parameter takes, for messages. ParamValue has a size in addition.
var wants = map[isa.ParamKind]string{
	isa.ParamValue:   " by value (Value, Vector or Bytes)",
	isa.ParamGlobal:  "a *Buffer or Null()",
	isa.ParamLocal:   "LocalBytes(n)",
	isa.ParamImage:   "an *Image",
	isa.ParamPipe:    "a *Pipe",
	isa.ParamSampler: "a Sampler",
}

func want(p *isa.Param) string {
	w, ok := wants[p.Kind]
	switch {
	case !ok:
		return "something that this device does not have"
	case p.Kind == isa.ParamValue:
		return finding.Bytes(p.Size) + w
	}
	return w
}

// bind checks an argument against its parameter.
func bind(k *Kernel, i int, given Arg) (argument, error) {
	p := &k.code.Params[i]
	fail := func(err error, reason string) (argument, error) {
		return argument{}, k.argError(i, reason, err)
	}
	if given == nil {
		return fail(ErrInvalid, "no argument given; the parameter takes "+want(p))
	}
	a := given.argument()
	if a.kind == nil || !a.kind.suits(p) {
		return fail(nil, fmt.Sprintf("%s given, the parameter takes %s", a.describe(), want(p)))
	}
	if reason, err := a.kind.check(&a, k, p); reason != "" {
		return fail(err, reason)
	}
	return a, nil
}

// argError is an error about argument i.
func (k *Kernel) argError(i int, reason string, err error) *ArgError {
	p := &k.code.Params[i]
	return &ArgError{Kernel: k.code.Name, Index: i, Name: p.Name, Type: p.TypeName, Reason: reason, Err: err}
}
