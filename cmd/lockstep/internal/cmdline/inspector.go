package cmdline

import (
	"io"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// Inspector is a program that shows more of a launch than a command prints.
type Inspector struct {
	// Ran is called when the kernels of run have ended, behind the report. They run with recorders that count what
	// sub-groups do: one for all kernels, or, where -then has some run behind others, one for each stage.
	Ran func(*Ran)
	// Debug takes the session of debug, which then reads no commands. Debug closes it.
	Debug func(*Debugging)
}

// Ran is what kernels left behind.
type Ran struct {
	Document    []byte // of -json; nil where it cannot be made
	Findings    finding.List
	Diagnostics []clc.Diagnostic
	Traces      []*trace.Recorder // by stage, of those that ran; none where -choices forbids it
	// Pictures are the documents of -picture by kind.
	Pictures map[string]string
	Launches []string // names of the kernels, of all stages
}

// Debugging is a debug session that was prepared.
type Debugging struct {
	Session *debug.Session
	Kernel  *emu.Kernel
	Found   finding.List // by -check
	// Expect has breakpoints set where -check found something, and writes what it says about that.
	Expect func(w io.Writer)
	// WriteOuts writes what -out has for standard output, as it is now. No other file is written.
	WriteOuts func(w io.Writer) error
}
