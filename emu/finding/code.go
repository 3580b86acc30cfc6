// Package finding holds the one shape of everything lockstep has to say about
// a kernel: faults, undefined behaviour, standstills and, in time, races and
// async hazards. A [Finding] has a stable code, a place, the parties, a text
// form, a JSON form and a merge rule.
//
// It detects nothing. Engines, the scheduler and package emu fill findings in;
// the command line, the conformance runner and Go programs read them.
package finding

// Code is a finding's stable name. Codes are never renamed or reused.
type Code string

// The codes.
const (
	OutOfBounds     Code = "E-OOB"         // access outside its allocation
	NullPointer     Code = "E-NULL"        // access through null
	BadPointer      Code = "E-POINTER"     // access through a value that is no pointer, or into the wrong address space
	UseAfterFree    Code = "E-FREED"       // access to a buffer that was released
	ReadOnly        Code = "E-READONLY"    // write to constant memory
	Misaligned      Code = "E-ALIGN"       // access not aligned to its type (with checks on)
	DivideByZero    Code = "E-DIV0"        // integer division or remainder by zero
	DivideOverflow  Code = "E-DIVOVF"      // most negative value divided by -1 (with checks on)
	ShiftRange      Code = "E-SHIFT"       // shift by the width or more (with checks on)
	Unreachable     Code = "E-UNREACHABLE" // OpUnreachable was reached
	BarrierDeadlock Code = "E-BARRIER"     // a barrier that some work-items never reach
	TimeLimit       Code = "E-TIMEOUT"     // the time limit ended the launch
	Cancelled       Code = "E-CANCELLED"   // the caller ended the launch
)
