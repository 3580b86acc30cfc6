// Package finding holds the one shape of everything lockstep has to say about
// a kernel: faults, undefined behaviour, standstills, hazards of
// asynchronous copies and, in time, races. A [Finding] has a stable code, a place, the parties, a text
// form, a JSON form and a merge rule.
//
// It detects nothing. Engines, the scheduler and package emu fill findings in;
// the command line, the conformance runner and Go programs read them. Text that
// comes from a module (names, source lines) is made harmless for terminals
// here, so that nobody who prints a finding has to think of it.
package finding
