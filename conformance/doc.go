// Package conformance holds test cases for the machine that lockstep models and
// the runner that tries each of them under every engine, sub-group size, wave
// width, schedule and number of workers that it is given.
//
// A case is one text file (see [Parse]) with a kernel, its launch, its arguments,
// what must come out, and the clauses of a specification that it proves. The
// runner compares the outputs bit by bit (or within a tolerance in units in the
// last place that the case states), compares the findings, and demands that every
// configuration gives the same. Expected values come from reasoning about the
// specification or from independent references, never from running lockstep.
//
// Cases reach the package through an [fs.FS]; those that ship with lockstep are
// embedded ([Builtin]), so that the command "lockstep conformance" needs no files.
// Results leave as values ([Report]) and as plain text, JSON or JUnit XML.
package conformance
