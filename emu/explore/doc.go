// Package explore runs a launch, or launches that run together, under many legal schedules and says whether they
// agree: sub-group sizes, wave widths, orders of work-groups and waves, and the times at which asynchronous copies
// complete. OpenCL leaves all of these open, so that a kernel whose result depends on one of them has a race, or relies on
// what it should require.
//
// A [Subject] is what is launched: how to make programs and arguments on a device. An [Explorer] runs it
// under a [Config], as often as it is asked to, each time on a device of its own, so that runs go on at the
// same time. A [Plan] lists configurations; the same space and seed give the same plan. [Explorer.Explore]
// runs a plan and returns a [Report] with the distinct outcomes; [Explorer.Part] finds out where two of them part:
// the element of memory and the stores that wrote it, and the first access that a work-item makes in another way.
//
// [Explorer.Exhaustive] runs all interleavings of a small launch instead, up to equivalence, and where memory is weak
// ([Subject.Memory]) all values that loads may return. An outcome then comes with the choices that make it again.
//
// What an outcome is: the bytes of all global memory that kernels may write, and what the subject says is left
// besides, such as packets in pipes; what was printed; the findings.
// Of the output of printf, each work-item's own text counts in its own order, and the order of work-items
// does not: OpenCL C (section 6.15.14) leaves it open. Which work-item printed a text does not count either.
// Findings are the same when they have the same codes at the same places of the source. A fault ends its
// work-group wherever the others of its work-items are, and so leaves memory half-finished: of such a run the
// findings alone count.
//
// The package knows no command line; package emu runs the launches. Nothing in a report depends on the number
// of runs at the same time.
package explore
