package opt

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Pass is a step over a function, with what a manager of passes has to know of it.
type Pass struct {
	// Name is what pipelines call it, Doc a line for people.
	Name, Doc string
	// Needs is what must be known before the pass runs, Keeps what of that is still true afterwards.
	Needs, Keeps ssa.Analyses
	// Run does the work. An error says that the function cannot be compiled.
	Run func(*ssa.Func) error
	// Tells says that Run sets Func.Simplified to false by itself, when it changes a value.
	Tells bool
	// Drops says that Run may leave few of the values or blocks.
	Drops bool
}

// Apply runs the pass: it finds what the pass needs, and forgets what the pass does not keep.
func (p *Pass) Apply(f *ssa.Func) error {
	f.Need(p.Needs)
	err := p.Run(f)
	f.Valid &= p.Keeps
	f.Simplified = f.Simplified && p.Tells
	if p.Drops {
		f.Compact()
	}
	return err
}

// table has the passes of this package.
var table = []Pass{
	{Name: "specialize", Doc: "built-ins and arguments that are known become constants",
		Keeps: ssa.ControlFlow, Run: over(Specialize)},
	{Name: "simplify", Doc: "folding, value numbering, dead code, control flow",
		Needs: ssa.AnalysisDominators, Keeps: ssa.ControlFlow, Tells: true, Drops: true, Run: over(Simplify)},
	{Name: "ifconvert", Doc: "short branches become selects",
		Keeps: ssa.ControlFlow, Tells: true, Drops: true, Run: over(IfConvert)},
	{Name: "unroll", Doc: "short loops become their trips: of specialized kernels, and over private arrays",
		Keeps: ssa.ControlFlow, Tells: true, Run: over(Unroll)},
	{Name: "asyncwaits", Doc: "waits that have no async mark to wait for go",
		Needs: ssa.AnalysisOrder, Keeps: ssa.ControlFlow, Tells: true, Run: over(AsyncWaits)},
	{Name: "asyncmarks", Doc: "async marks that no wait counts go",
		Needs: ssa.AnalysisOrder, Keeps: ssa.ControlFlow, Tells: true, Run: over(AsyncMarks)},
	{Name: "narrow", Doc: "64-bit arithmetic becomes 32-bit arithmetic of the same result",
		Needs: ssa.AnalysisOrder | ssa.AnalysisUses, Keeps: ssa.ControlFlow, Tells: true, Run: over(Narrow)},
	{Name: "unselect", Doc: "accesses through one of two pointers become branches to an access through either",
		Needs: ssa.AnalysisOrder, Keeps: ssa.ControlFlow, Tells: true, Run: over(Unselect)},
	{Name: "address", Doc: "pointer arithmetic moves into accesses",
		Needs: ssa.AnalysisOrder, Keeps: ssa.ControlFlow, Run: over(Addresses)},
	{Name: "flatten", Doc: "one base and one index for accesses into rows",
		Needs: ssa.AnalysisOrder, Keeps: ssa.ControlFlow, Run: over(Flatten)},
	{Name: "walks", Doc: "pointers of the lanes that walk by the same steps become one that walks, and an index",
		Needs: ssa.AnalysisLoops, Keeps: ssa.ControlFlow, Run: over(Walks)},
	{Name: "rotate", Doc: "loops test at their end, with a copy of the test ahead of them",
		Needs: ssa.AnalysisLoops, Keeps: ssa.ControlFlow, Tells: true, Run: over(Rotate)},
	{Name: "loads", Doc: "what has been loaded is not loaded again",
		Needs: ssa.AnalysisLoops, Keeps: ssa.ControlFlow, Run: over(Loads)},
	{Name: "hoist", Doc: "what does not change in a loop leaves it",
		Needs: ssa.AnalysisLoops, Keeps: ssa.ControlFlow, Run: over(Hoist)},
	{Name: "fuse", Doc: "multiplications join their additions",
		Needs: ssa.AnalysisOrder | ssa.AnalysisUses, Keeps: ssa.ControlFlow, Run: over(Fuse)},
	{Name: "sink", Doc: "steps of loops go behind the last use of what they step",
		Needs: ssa.AnalysisDominators, Keeps: ssa.ControlFlow, Run: over(Sink)},
	{Name: "returns", Doc: "all ways out of the kernel lead to one return",
		Keeps: ssa.ControlFlow, Tells: true, Run: over(Returns)},
}

// over makes what Pass.Run is of a pass that refuses nothing.
func over(pass func(*ssa.Func)) func(*ssa.Func) error {
	return func(f *ssa.Func) error { pass(f); return nil }
}

// Passes returns the passes of this package.
func Passes() []Pass { return slices.Clone(table) }

// Lookup returns the pass of this package that has the given name.
func Lookup(name string) (Pass, bool) {
	i := slices.IndexFunc(table, func(p Pass) bool { return p.Name == name })
	if i < 0 {
		return Pass{}, false
	}
	return table[i], true
}
