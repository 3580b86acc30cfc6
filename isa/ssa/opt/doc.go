// Package opt has the optimizations over the form of isa/ssa, one a file. Each
// is a function of a [ssa.Func], and has a row in a table ([Passes]) with its
// name, the analyses that it needs and those that it keeps; [Pass.Apply] runs
// one. isa/lower has pipelines of them, and passes of its own between them.
//
// Folding and identities (fold.go) apply to one value at a time, also while a function is built. Passes over
// the whole function simplify and number values (simplify.go) and edges (cleancfg.go), turn branches into
// selects (ifconvert.go) and selected pointers into branches (unselect.go), narrow arithmetic (narrow.go),
// fold addresses into accesses (address.go, flatten.go, walks.go), unroll and rotate loops (unroll.go,
// rotate.go), remove and move loads (loads.go), move values out of loops and behind their last uses
// (address.go, sink.go), and remove async marks and waits (asyncmarks.go, asyncwaits.go). Promotion of
// variables (promote.go) is a library: what a variable holds at first is known to the caller.
package opt
