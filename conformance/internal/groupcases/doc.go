// Package groupcases makes the conformance cases about sub-groups and group
// operations that come in families: one for each operation, with every type it
// takes, at every sub-group size.
//
// It writes modules as assembly text and computes what must come out with a model
// of its own, in which a sub-group is a list of work-items and an operation a loop
// over it: nothing here runs lockstep or shares code with it. All returns the
// cases; the package's test compares them with the files below conformance/cases
// and, with -update, writes those.
package groupcases
