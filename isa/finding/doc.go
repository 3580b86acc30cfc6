// Package finding holds the one shape of everything lockstep has to say about
// a kernel: faults, undefined behaviour, standstills and hazards of asynchronous
// copies. A [Finding] has a stable code, a place, the parties, notes and help, a
// text form, a JSON form and a merge rule.
//
// The text form is that of a compiler's diagnostic: what happened, the line of
// source with a mark below the place, notes, what to do about it, and the command
// that makes it happen again. [Style] adds colours for terminals.
//
// It detects nothing. Engines, the scheduler and package emu fill findings in;
// the command line, the conformance runner and Go programs read them. Text that
// comes from a module (names, source lines) is made harmless for terminals
// here, so that nobody who prints a finding has to think of it.
package finding
