package lower

import (
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/emit"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
)

// The passes that are always there, in the order of the road. The pipeline of a
// [PassMachinery] has those of the middle; the first and the last ones run in
// any case.
const (
	passBuild    = "build"
	passDiverge  = "diverge"
	passEmit     = "emit"
	passDescribe = "describe"
)

// builtinPasses returns the passes that every machinery knows.
func builtinPasses() []Pass {
	over := func(f func(*build.Builder)) func(*IR) error {
		return func(ir *IR) error { f(ir.b); return nil }
	}
	// of returns a pass of isa/ssa/opt.
	of := func(name string) Pass {
		p, ok := opt.Lookup(name)
		if !ok {
			panic("no pass is named " + name)
		}
		return Pass{Name: p.Name, Doc: p.Doc, Needs: p.Needs, Keeps: p.Keeps, tells: p.Tells, drops: p.Drops,
			IR: func(ir *IR) error { return p.Run(ir.b.Func) }}
	}
	return []Pass{
		{Name: passBuild, Doc: "the module's instructions as SSA over scalars, calls inlined", fixed: true, drops: true,
			IR: over(func(b *build.Builder) { opt.CleanCFG(b.Func) })},
		of("specialize"),
		{Name: "promote", Doc: "private variables become values",
			Needs: ssa.AnalysisDominators, Keeps: ssa.ControlFlow, tells: true, drops: true, IR: over(promote)},
		of("simplify"),
		of("ifconvert"),
		of("unroll"),
		{Name: "storages", Doc: "constant structures that describe pipes become pipes",
			Keeps: ssa.ControlFlow, tells: true, IR: over(storages)},
		{Name: "checks", Doc: "checks that are known to hold go, of kernels for launches with checks",
			Needs: ssa.AnalysisOrder, Keeps: ssa.ControlFlow, tells: true, IR: over(build.Checks)},
		of("asyncwaits"),
		of("asyncmarks"),
		of("narrow"),
		of("unselect"),
		of("address"),
		of("flatten"),
		of("walks"),
		of("rotate"),
		of("loads"),
		of("hoist"),
		of("fuse"),
		of("sink"),
		of("returns"),
		{Name: passDiverge, Doc: "order of blocks, loops with one latch, values that differ by lane", fixed: true,
			Needs: ssa.AnalysisLoops, Keeps: ssa.AnalysisLayout | ssa.AnalysisDivergence, IR: over(func(b *build.Builder) {
				storages(b) // a pipeline of one's own may have left it out
				divergence(b)
			})},
		{Name: passEmit, Doc: "registers and bytecode", fixed: true,
			Needs: ssa.AnalysisLayout | ssa.AnalysisDivergence, IR: over(bytecode)},
		{Name: passDescribe, Doc: "what the kernel is found to use", fixed: true, describe: build.Describe},
	}
}

// defaultPipeline is what the middle of the road is unless somebody says
// otherwise. Simplifying lays open variables that were not to be promoted before.
const defaultPipeline = "specialize,promote,simplify,ifconvert,unroll,simplify,promote,simplify,storages,checks,asyncwaits,asyncmarks," +
	"narrow,simplify,unselect,address,flatten,narrow,simplify,address,walks,rotate,loads,ifconvert,hoist,fuse,sink,returns"

// bytecode assigns registers and writes the kernel's code.
func bytecode(b *build.Builder) {
	number, n := b.Sequences()
	err := emit.Bytecode(emit.Form{
		Func: b.Func, WideAccesses: b.Wides, PipeAccesses: b.PipeAccesses, Sequences: number, NumSequences: n, KeepPrivate: b.Debug != nil,
	})
	if err != nil {
		b.Fail("%v", err)
	}
}

// unoptimizing runs no pass but those that make bytecode of the form: the kernels of debuggers keep what the
// source says.
var unoptimizing = func() *PassMachinery {
	m := NewPassMachinery()
	m.Finalize = nil
	return m
}()
