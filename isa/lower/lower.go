// Package lower compiles a SPIR-V module of the OpenCL flavour to bytecode:
// [Program] takes a [spirv.Module] that spirv/validate has accepted and gives
// an [isa.Program], one kernel an entry point, every call inlined.
//
// A kernel goes through passes (passes.go) over the form of isa/ssa, in the order that a
// [PassMachinery] gives, the default one unless [Options] has another. Those that do not
// need the module are in isa/ssa/opt.
// A kernel is read into SSA over scalars (isa/lower/internal/build, isa/lower/internal/readers), its variables are promoted to
// registers (promotion.go), some of them once loops over them have become their trips,
// values are simplified and shared, the
// pipes that constants describe are found (pipestorage.go), async marks and waits
// that do nothing go, arithmetic gets as narrow as its
// results, addresses are folded into accesses, loops test at
// their end, loads of what is known go, loops get one latch each
// and blocks their order,
// the values that are the same for every lane are found (isa/ssa, uniform.go), and
// registers are assigned while bytecode is written (isa/lower/internal/emit).
//
// The bodies of functions that a large kernel calls often are read, promoted and simplified once, and copied to their
// calls (build/prepare.go).
//
// A pass says which analyses it needs and keeps. Passes can be
// watched, timed and verified while they run (instrument.go), pipelines
// of them are text (pipeline.go), and others may bring passes of their own, over
// SSA (view.go) or over the finished bytecode (machinery.go).
//
// A kernel may be compiled for one launch, with its sizes and arguments as
// constants (build/specialization.go). What a module says about a kernel besides its code is
// in build/metadata.go; barriers behind which not all lanes go on together make
// loads differ by lane, and nothing may leave a region that runs
// once (barrieronce.go).
//
// Functions that a module only imports are turned into instructions by their
// names (readers/names*.go): OpenCL C as compilers leave it, ComputeMux's __mux_dma_*,
// AMDGPU's llvm.amdgcn.*, SPIR-V's own __spirv_*.
//
// Asynchronous copies, waits and marks are effects: no pass moves anything that
// reads or writes memory across them, drops them, or shares them. An event is an
// integer as wide as the module's pointers. The sequence of async marks belongs
// to a function body, and inlining keeps it so (build/bodies.go).
//
// In memory that the host shares, pointers are the host's addresses: kernels for that convert them (build/shared.go).
//
// Pipe instructions are effects too, and give each lane a result of its own. A
// blocking one is a loop of one block, which stays as it is (readers/pipe.go). Lanes
// that got their packet may run on while others wait, so that from the first such
// loop on no value counts as the same for all lanes.
//
// It runs nothing and knows no engine. What it cannot lower it refuses by
// name, with an [*Error], before anything runs.
package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
)

// Options steers the lowering.
type Options struct {
	// SpecConstants has values for specialization constants by SpecId: the
	// bits, zero-extended. A constant that is not there keeps its default.
	SpecConstants map[uint32]uint64
	// SubgroupSize is the maximum sub-group size, in lanes, of kernels that require
	// none; 0 when that is not known. A known one is a constant.
	SubgroupSize int
	// MaxInstructions limits the size of a kernel with its calls inlined;
	// 0 means DefaultMaxInstructions.
	MaxInstructions int
	// Specialize has, by name of the kernel, what it is compiled for. Such a
	// kernel runs in launches only that agree with it.
	Specialize map[string]*isa.Specialization
	// Kernels has the names of the kernels to lower; nil is all.
	Kernels []string
	// KeepMarks keeps async marks that no wait counts, and waits that have
	// nothing to wait for.
	KeepMarks bool
	// Poison is what undefined values are, instead of zero: a pattern that depends on the number.
	Poison uint64
	// Passes has the passes and the pipelines of them that run; nil is the
	// default.
	Passes *PassMachinery
	// VerifyEach checks each kernel after every pass; one that a pass broke is
	// refused.
	VerifyEach bool
	// Dump, when set, is called with the text of a kernel after each pass.
	Dump func(kernel, pass, text string)
}

// DefaultMaxInstructions is the size of the largest kernel, calls inlined, in
// instructions of the intermediate form.
const DefaultMaxInstructions = 4 << 20
