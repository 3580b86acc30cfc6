// Package conformance holds test cases for the machine that lockstep models and
// the runner that tries each of them under every engine, sub-group size, wave
// width, schedule and number of workers that it is given.
//
// Kernels with asynchronous copies also run under every completion of those, more seeds
// and other DMA engines; a correct one gives the same bits under all of them, and what is
// wrong with another is reported under all.
//
// Kernels with pipes also run under more seeds. A case may launch several kernels as a
// set, and several sets one after the other, with pipes of the program and of the host
// between them.
//
// A case is one text file (see [Parse]) with a kernel, its launch, its arguments,
// what must come out, and the clauses of a specification that it proves. The
// runner compares the outputs bit by bit (or within a tolerance in units in the
// last place that the case states), compares the findings, and demands that every
// configuration gives the same. Expected values come from reasoning about the
// specification or from independent references, never from running lockstep.
//
// Clauses about interfaces in Go rather than about kernels are proved by cases that name
// scenarios of package emu/mux/muxtest instead of a kernel; those run here as well, with each of
// lockstep's compilers.
//
// The clauses of the specifications that lockstep implements are part of the package
// ([Clauses], from clauses.md); [Cover] sets them against the cases that name them and
// shows the gaps.
//
// Cases reach the package through an [fs.FS]; those that ship with lockstep are
// embedded ([Builtin]), so that the command "lockstep conformance" needs no files.
// Results leave as values ([Report], [Coverage]) and as plain text, JSON or JUnit XML.
package conformance
