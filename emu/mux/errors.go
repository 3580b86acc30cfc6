package mux

import (
	"errors"
	"fmt"
)

// The results of the specification other than success, as errors for errors.Is
// (compiler::Result). Every error of this package wraps one of them, or is that of a
// context that was cancelled.
var (
	ErrFailure                = errors.New("failure")
	ErrInvalidValue           = errors.New("invalid value")
	ErrOutOfMemory            = errors.New("out of memory")
	ErrInvalidBuildOptions    = errors.New("invalid build options")
	ErrInvalidCompilerOptions = errors.New("invalid compiler options")
	ErrInvalidLinkerOptions   = errors.New("invalid linker options")
	ErrBuildProgramFailure    = errors.New("cannot build the program")
	ErrCompileProgramFailure  = errors.New("cannot compile the program")
	ErrLinkProgramFailure     = errors.New("cannot link the program")
	ErrFinalizeProgramFailure = errors.New("cannot finalize the program")
	ErrFeatureUnsupported     = errors.New("feature not supported")
)

// rule is an error for one rule of the specification, with its result.
type rule struct {
	text   string
	result error
}

func newRule(result error, text string) error { return &rule{text, result} }

// Error gives what is wrong and the result.
func (r *rule) Error() string { return r.text + ": " + r.result.Error() }

// Unwrap returns the result.
func (r *rule) Unwrap() error { return r.result }

// The rules of the specification that a call can break, each an error of its own for
// errors.Is. Each of them wraps the result that the specification gives it.
var (
	// ErrNoContext: Info::createTarget, "if context is nullptr".
	ErrNoContext = newRule(ErrInvalidValue, "there is no context")
	// ErrLocalSizeX, ErrLocalSizeY and ErrLocalSizeZ: precacheLocalSize,
	// getDynamicWorkWidth, querySubGroupSizeForLocalSize and createSpecializedKernel,
	// "if local_size_x is 0".
	ErrLocalSizeX = newRule(ErrInvalidValue, "the local size in x is 0")
	ErrLocalSizeY = newRule(ErrInvalidValue, "the local size in y is 0")
	ErrLocalSizeZ = newRule(ErrInvalidValue, "the local size in z is 0")
	// ErrDescriptorsEmpty: createSpecializedKernel, "if descriptors is not NULL and
	// descriptors_length is 0".
	ErrDescriptorsEmpty = newRule(ErrInvalidValue, "descriptors are given, and their number is 0")
	// ErrDescriptorsMissing: "if descriptors is NULL and descriptors_length is not 0".
	ErrDescriptorsMissing = newRule(ErrInvalidValue, "no descriptors are given, and their number is not 0")
	// ErrGlobalOffset: "if global_offset is NULL".
	ErrGlobalOffset = newRule(ErrInvalidValue, "there is no global offset")
	// ErrGlobalSize: "if global_size is NULL".
	ErrGlobalSize = newRule(ErrInvalidValue, "there is no global size")
	// ErrDimensions: "if length is 0 or greater than 3".
	ErrDimensions = newRule(ErrInvalidValue, "the number of dimensions is not 1 to 3")
	// ErrCustomBuffer: "if descriptors contains a custom buffer and
	// custom_buffer_capabilities is 0".
	ErrCustomBuffer = newRule(ErrInvalidValue, "the device takes no custom buffers")
	// ErrCodeGeneration: "if there was a failure during any code generation".
	ErrCodeGeneration = newRule(ErrFinalizeProgramFailure, "code generation failed")
	// ErrNoSubGroups: the sub-group queries, "if the device does not support sub-groups".
	ErrNoSubGroups = newRule(ErrFeatureUnsupported, "the device has no sub-groups")
	// ErrNoDeferredCompilation: createKernel, "if this module does not support deferred compilation".
	ErrNoDeferredCompilation = newRule(ErrFeatureUnsupported, "the compiler has no deferred compilation")
)

// What else can be wrong with a call; the specification has no results for it.
var (
	// ErrNotConstructed is an object whose base was not made by its constructor (New…).
	ErrNotConstructed = newRule(ErrInvalidValue, "the object was not constructed")
	// ErrNotInitialized is a target on which InitWithBuiltins was not called, or failed.
	ErrNotInitialized = newRule(ErrInvalidValue, "the target was not initialized")
	// ErrNoProgram is a module without the program that the call needs.
	ErrNoProgram = newRule(ErrInvalidValue, "the module holds no program")
	// ErrNotFinalized is a module that the call wants finalized.
	ErrNotFinalized = newRule(ErrInvalidValue, "the program was not finalized")
	// ErrNoKernel is a name that no kernel of the module has.
	ErrNoKernel = newRule(ErrInvalidValue, "there is no such kernel")
	// ErrForeignModule is a module of another context or compiler.
	ErrForeignModule = newRule(ErrInvalidValue, "the module belongs to another compiler")
	// ErrNotSerialized is data that no module has serialized, or not all of it.
	ErrNotSerialized = newRule(ErrInvalidValue, "the data is not a serialized module")
	// ErrShortBuffer is a buffer that is smaller than Module.Size.
	ErrShortBuffer = newRule(ErrInvalidValue, "the buffer is too small")
	// ErrOptionsSyntax is a text that breaks the compilation options syntax.
	ErrOptionsSyntax = newRule(ErrInvalidValue, "the compilation options break their syntax")
	// ErrSpecialization is a value that does not fit a specialization constant.
	ErrSpecialization = newRule(ErrInvalidValue, "the specialization does not fit the module")
	// ErrDeviceMismatch is a module that wants what the device does not have.
	ErrDeviceMismatch = newRule(ErrCompileProgramFailure, "the module does not suit the device")
	// ErrNoFrontEnd is a context without a front end for OpenCL C.
	ErrNoFrontEnd = newRule(ErrFeatureUnsupported, "there is no front end for OpenCL C")
)

// Error says which call failed and why. It wraps the rule that was broken, if there is
// one, and the result.
type Error struct {
	Call   string // "Kernel.PrecacheLocalSize"
	Object string // what the call was about: a kernel, for instance; may be ""
	Reason string // more about it; may be ""
	Err    error
}

// Error gives "mux: CALL OBJECT: reason".
func (e *Error) Error() string {
	s := "mux: " + e.Call
	if e.Object != "" {
		s += " " + e.Object
	}
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the rule or the result.
func (e *Error) Unwrap() error { return e.Err }

// failed makes an error of a call; format may be "".
func failed(call string, err error, format string, args ...any) error {
	return &Error{Call: call, Err: err, Reason: fmt.Sprintf(format, args...)}
}

// within gives an error from below the result of this level.
func within(result, err error) error { return fmt.Errorf("%w: %w", result, err) }
