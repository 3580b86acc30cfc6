// Package kernels holds real OpenCL C kernels, compiled to SPIR-V by clang and
// the LLVM/SPIR-V translator without and with optimization, and for each of
// them an independent Go reference that computes the exact bytes it must leave
// in memory.
//
// It is data with its proof: the sources are in src, the modules that build.sh
// makes of them in spv, and both are embedded. The package runs nothing; the
// conformance runner and the benchmark take modules, launches and references
// from here, and the nested module judge checks every reference against other
// OpenCL implementations.
//
// Every kernel is free of undefined behaviour and of data races, and its
// results depend neither on the order in which work-items run nor on the time
// at which asynchronous copies move their bytes. Floating-point
// references follow the kernels operation by operation, rounding after each
// (the modules are compiled with -ffp-contract=off), and take functions of
// OpenCL.std as correctly rounded.
package kernels

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed src/*.cl spv/*.spv
var files embed.FS

// Launch says how a kernel is run.
type Launch struct {
	// Global, Local and Offset are work-items a dimension; all have the same
	// length, 1 to 3, except that a nil Offset is zero. Global need not be a
	// multiple of Local.
	Global, Local, Offset []uint64
	// Args has one SPEC of the command line's -arg a kernel parameter.
	Args []string
}

// Kernel is one entry point of a source, with launches and a reference.
type Kernel struct {
	// Name names the kernel here; unique among All.
	Name string
	// Module is the name of the source and of its modules, without extensions.
	Module string
	// Entry is the name of the entry point in the module.
	Entry string
	// About says in one sentence what the kernel computes and what of a
	// device it exercises.
	About string
	// Launch is the small launch that tests use.
	Launch Launch
	// Bench has larger launches of the same kernel, in increasing order of
	// work; it may be empty.
	Bench []Launch
	// Outputs are the indices of the arguments that are buffers which the
	// kernel writes, in increasing order.
	Outputs []int
	// Tolerance, where it is not nil, bounds in units in the last place how
	// far an implementation whose mathematics is not correctly rounded may be
	// from the reference.
	Tolerance *Tolerance
	// Only, where it is not empty, says why other OpenCL implementations cannot
	// build or run the kernel.
	Only string
	// Clauses are those of the specifications that the kernel's cases prove.
	Clauses []string

	reference func(l Launch, args [][]byte) error
	sizes     func() []Launch
}

// Sizes makes further launches of the kernel: a small one for implementations that interpret, one of some milliseconds for
// compilers, and a large one. There are none where Bench or others have them.
func (k *Kernel) Sizes() []Launch {
	if k.sizes == nil {
		return nil
	}
	return k.sizes()
}

// Reference turns args, the contents of every argument before the launch
// (little-endian bytes of buffers and values, nil for local memory and null
// pointers), into their contents after it, in place. It fails when the
// arguments do not fit the launch.
func (k *Kernel) Reference(l Launch, args [][]byte) (err error) {
	// References index their arguments as the kernels do; arguments that are
	// too short for the launch end here and not in the caller.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("reference of kernel %s: the arguments do not fit the launch: %v", k.Name, r)
		}
	}()
	if err := k.reference(l, args); err != nil {
		return fmt.Errorf("reference of kernel %s: %w", k.Name, err)
	}
	return nil
}

// Tolerance bounds the distance of float results from the reference.
type Tolerance struct {
	// Ulps is the largest distance of two elements, in units in the last place.
	Ulps uint64
	// Bits is the size of the elements: 32 or 64.
	Bits int
}

// Source is the text of the kernel's source file.
func (k *Kernel) Source() string {
	b, err := files.ReadFile("src/" + k.Module + ".cl")
	if err != nil {
		// TestModulesEmbedded proves that every source is there.
		return ""
	}
	return string(b)
}

// Binary is one SPIR-V module of a kernel.
type Binary struct {
	// Variant is the optimization level, "O0" or "O2", followed by ".32" for
	// 32-bit addressing.
	Variant string
	// File is the name of the file under spv.
	File string
	// Code is the module.
	Code []byte
}

// Binaries are the kernel's modules: O0 and O2 for 64-bit addressing, and both
// for 32-bit addressing where they exist, in the order of their names.
func (k *Kernel) Binaries() ([]Binary, error) {
	var all []Binary
	for _, variant := range []string{"O0", "O0.32", "O2", "O2.32"} {
		name := k.Module + "." + variant + ".spv"
		code, err := files.ReadFile("spv/" + name)
		if err != nil {
			if strings.HasSuffix(variant, ".32") {
				continue
			}
			return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
		}
		all = append(all, Binary{Variant: variant, File: name, Code: code})
	}
	return all, nil
}

// Binary is the module of one variant ("O0", "O2", "O0.32", "O2.32").
func (k *Kernel) Binary(variant string) (Binary, error) {
	name := k.Module + "." + variant + ".spv"
	code, err := files.ReadFile("spv/" + name)
	if err != nil {
		return Binary{}, fmt.Errorf("kernel %s has no module of variant %s: %w", k.Name, variant, err)
	}
	return Binary{Variant: variant, File: name, Code: code}, nil
}

// All lists every kernel, ordered by name.
func All() []*Kernel {
	all := slices.Concat(
		arithmeticKernels(),
		linearKernels(),
		groupKernels(),
		barrierKernels(),
		atomicKernels(),
		cryptoKernels(),
		simulationKernels(),
		byteKernels(),
		languageKernels(),
		controlKernels(),
		vectorKernels(),
		integerKernels(),
		conversionKernels(),
		mathKernels(),
		asyncKernels(),
		subgroupKernels(),
		groupFunctionKernels(),
		groupCostKernels(),
		fieldKernels(),
	)
	slices.SortFunc(all, func(a, b *Kernel) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Find gives the kernel called name, or nil.
func Find(name string) *Kernel {
	for _, k := range All() {
		if k.Name == name {
			return k
		}
	}
	return nil
}
