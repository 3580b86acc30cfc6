// Package lang is what a compilation is asked for: the version of the language, the sizes of the device, the
// options that change the meaning of a program, and the features that the device has.
package lang

// Version is a version of OpenCL C, as __OPENCL_C_VERSION__ writes it.
type Version int

// The versions.
const (
	CL10 Version = 100
	CL11 Version = 110
	CL12 Version = 120
	CL20 Version = 200
	CL30 Version = 300
)

// Options is what the parts of the compiler read. The zero value is not useful: use Default.
type Options struct {
	Version     Version
	AddressBits int // 32 or 64
	// SPIRV is the version of the module, as its header has it; 0 leaves it to code generation.
	SPIRV uint32
	// Debug asks for OpenCL.DebugInfo.100. Lines (OpLine) are there without it.
	Debug bool
	// ExportKernels lets functions of other modules call kernels.
	ExportKernels bool

	SinglePrecisionConstant bool // -cl-single-precision-constant
	NoSignedZeros           bool // -cl-no-signed-zeros
	FiniteMathOnly          bool // -cl-finite-math-only
	UnsafeMath              bool // -cl-unsafe-math-optimizations
	FastRelaxedMath         bool // -cl-fast-relaxed-math: the two above
	OptDisable              bool // -cl-opt-disable

	// Without has the extensions and features of Features that the device lacks, or that -cl-ext=-NAME takes away.
	Without map[string]bool
}

// Default returns the options of a 64-bit device and OpenCL C 3.0.
func Default() Options { return Options{Version: CL30, AddressBits: 64} }

// HasGeneric reports whether pointers without an address space point into the generic one.
func (o *Options) HasGeneric() bool { return o.Version >= CL20 }
