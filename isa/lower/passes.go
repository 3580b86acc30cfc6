package lower

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
	over := func(f func(*builder)) func(*IR) error {
		return func(ir *IR) error { f(ir.b); return nil }
	}
	of := func(f func(*fn)) func(*IR) error {
		return func(ir *IR) error { f(ir.b.f); return nil }
	}
	return []Pass{
		{Name: passBuild, Doc: "the module's instructions as SSA over scalars, calls inlined", fixed: true, drops: true,
			IR: over(func(b *builder) { b.f.cleanCFG() })},
		{Name: "specialize", Doc: "built-ins and arguments that are known become constants",
			Keeps: ControlFlow, IR: of(specialize)},
		{Name: "promote", Doc: "private variables become values",
			Needs: AnalysisDominators, Keeps: ControlFlow, tells: true, drops: true, IR: over(promote)},
		{Name: "simplify", Doc: "folding, value numbering, dead code, control flow",
			Needs: AnalysisDominators, Keeps: ControlFlow, tells: true, drops: true, IR: of(simplify)},
		{Name: "ifconvert", Doc: "short branches become selects",
			Keeps: ControlFlow, tells: true, drops: true, IR: of(ifConvert)},
		{Name: "unroll", Doc: "short loops become their trips: of specialized kernels, and over private arrays",
			Keeps: ControlFlow, tells: true, IR: of(unroll)},
		{Name: "storages", Doc: "constant structures that describe pipes become pipes",
			Keeps: ControlFlow, tells: true, IR: over(storages)},
		{Name: "checks", Doc: "checks that are known to hold go, of kernels for launches with checks",
			Needs: AnalysisOrder, Keeps: ControlFlow, tells: true, IR: over(checks)},
		{Name: "asyncwaits", Doc: "waits that have no async mark to wait for go",
			Needs: AnalysisOrder, Keeps: ControlFlow, tells: true, IR: of(asyncWaits)},
		{Name: "asyncmarks", Doc: "async marks that no wait counts go",
			Needs: AnalysisOrder, Keeps: ControlFlow, tells: true, IR: of(asyncMarks)},
		{Name: "narrow", Doc: "64-bit arithmetic becomes 32-bit arithmetic of the same result",
			Needs: AnalysisOrder | AnalysisUses, Keeps: ControlFlow, tells: true, IR: of(narrow)},
		{Name: "address", Doc: "pointer arithmetic moves into accesses",
			Needs: AnalysisOrder, Keeps: ControlFlow, IR: of(addresses)},
		{Name: "flatten", Doc: "one base and one index for accesses into rows",
			Needs: AnalysisOrder, Keeps: ControlFlow, IR: of(flatten)},
		{Name: "rotate", Doc: "loops test at their end, with a copy of the test ahead of them",
			Needs: AnalysisLoops, Keeps: ControlFlow, tells: true, IR: of(rotate)},
		{Name: "loads", Doc: "what has been loaded is not loaded again",
			Needs: AnalysisLoops, Keeps: ControlFlow, IR: of(loads)},
		{Name: "hoist", Doc: "what does not change in a loop leaves it",
			Needs: AnalysisLoops, Keeps: ControlFlow, IR: of(hoist)},
		{Name: "fuse", Doc: "multiplications join their additions",
			Needs: AnalysisUses, Keeps: ControlFlow, IR: of(fuse)},
		{Name: "sink", Doc: "steps of loops go behind the last use of what they step",
			Needs: AnalysisDominators, Keeps: ControlFlow, IR: of(sink)},
		{Name: "returns", Doc: "all ways out of the kernel lead to one return",
			Keeps: ControlFlow, tells: true, IR: of(returns)},
		{Name: passDiverge, Doc: "order of blocks, loops with one latch, values that differ by lane", fixed: true,
			Needs: AnalysisLoops, Keeps: AnalysisLayout | AnalysisDivergence, IR: over(func(b *builder) {
				storages(b) // a pipeline of one's own may have left it out
				divergence(b)
			})},
		{Name: passEmit, Doc: "registers and bytecode", fixed: true,
			Needs: AnalysisLayout | AnalysisDivergence, IR: over(emit)},
		{Name: passDescribe, Doc: "what the kernel is found to use", fixed: true, describe: describe},
	}
}

// defaultPipeline is what the middle of the road is unless somebody says
// otherwise. Simplifying lays open variables that were not to be promoted before.
const defaultPipeline = "specialize,promote,simplify,ifconvert,unroll,simplify,promote,simplify,storages,checks,asyncwaits,asyncmarks," +
	"narrow,simplify,address,flatten,narrow,simplify,address,rotate,loads,ifconvert,hoist,fuse,sink,returns"
