// Package debug is a debugger of kernels: a [Session] runs one launch on the reference engine, stops it
// between two instructions of a wave, shows what is there, and goes on, forwards or backwards.
//
// The launch runs as it would without a debugger: one work-group after the other, in the order of its
// schedule (scheduler.Stepper). Its kernel is lowered so that every variable stays in memory and each
// instruction has its line (lower.Compiler.DebugKernel). The time of a session is the number of instructions
// that waves have issued, the tick. It repeats: the same launch is in the same state at the same tick. So the
// way backwards is a way forwards from a checkpoint: a state of waves and a list of pages of memory, of which
// unchanged ones are shared.
//
// Launches that pipes connect run together, by the turns that they have without a debugger
// (scheduler.SetStepper), and launches and sets of them one behind the other (scheduler.Sequence). What a
// session shows is about one work-group in progress: the one that has its turn, unless somebody looks at
// another one. Checkpoints have the packets and reservations of pipes, too, and where the host has come to
// with what it feeds to them.
//
// The package knows no terminal and no protocol. What it offers has the shape of the Debug Adapter Protocol:
// waves of the work-group that runs are threads, a work-item has frames (the kernel and the functions that
// were inlined in it), a frame has variables, and values have children.
//
// Data comes in from package emu (a launch) and isa.DebugInfo (variables, types, scopes) and goes out as
// values and texts.
package debug
