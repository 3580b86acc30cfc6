package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// schemaVersion is the version of the documents of -json. It grows when a field goes
// away or changes its meaning; new fields do not change it.
const schemaVersion = 1

// jsonState is what a command does about -json.
type jsonState struct {
	wanted  bool // the command line asks for a document
	written bool // there is one on standard output
	// diagnostics is what the compiler of OpenCL C has said.
	diagnostics []clc.Diagnostic
}

// errorReport is the document of a command that could not do its work.
type errorReport struct {
	Command string `json:"command,omitempty"`
	Error   struct {
		Kind    string `json:"kind"` // "usage", "failed", "timeout" or "cancelled"
		Message string `json:"message"`
		Help    string `json:"help,omitempty"` // the command that explains
	} `json:"error"`
	Diagnostics []clc.Diagnostic `json:"diagnostics,omitempty"` // of a source
}

const jsonText = `With -json, the commands run, explore, info, validate, grade, conformance and driver print one JSON document
on standard output, in UTF-8, wherever else text would stand. lockstep schema prints a JSON
Schema of all of them. Each begins with

  "schema"     the version of these documents, 1. It grows when a field goes away or changes
               its meaning; new fields do not change it
  "document"   which document it is: "run", "explore", "explore-exhaustive" (-exhaustive), "info",
               "info-opcodes" (-opcodes), "validate", "conformance", "conformance-list" (-list),
               "conformance-matrix" (-matrix), "grade", "grade-list" (without a kernel), "driver",
               "launch" (of exec) or "error"

The document of run has, among others,

  "launches"   a list, also of one kernel: its module, kernel, engine (the one that ran it),
               sizes, counters, and how many of the findings are its own
  "outputs"    the -out flags; one to - has its values here: numbers, and the strings "inf",
               "-inf" and "nan"
  "printf"     what the kernels printed
  "findings"   a list: code, message, detail, kernel, object, access, work_item, place with
               the inlined calls, parties, notes, help, and how often it happened (of E-RACE:
               for how many bytes of memory work-items race)
  "partial_checks"  with -check: a list of checks that had no room for all that they have to
               remember, with the code whose findings may be missing, and the reason. Mostly
               there is none
  "completed"  true when every work-group ran to its end
  "explanation"  the text of -explain
  "stats"      with -stats=lines: the bytes of cache lines and banks of the model, and in "lines"
               the counts of each line, or of each instruction of a module without lines
               (lockstep help stats): file, line, executions, active_lanes and idle_lanes, barriers
               and barrier_ticks, local_passes and local_conflicts, global_asked_bytes and
               global_moved_bytes, atomics with atomic_lanes and atomic_lanes_at_one_address, and
               copies with copy_bytes, copy_ticks, copy_overlap_ticks and copy_wait_ticks
  "timing"     with -stats alone. Only this, and the engine where that is left to lockstep, may
               differ from run to run

The document of explore has, among others,

  "agree"      true when all runs that were made have the same outcome
  "planned"    how many runs there were to be, and "made" how many were made
  "outcomes"   a list: the number of runs, the first of them with its configuration, the
               command that makes it, findings, and digests of memory and output
  "difference" where the first two outcomes part: the object, the index of the element, its
               values, and the stores that wrote them; and in "first_access" the first access at
               which they part: the kernel, the work-item, the number of the access among its
               own, and in "accesses" what it does in each of the two
  "unfinished" runs that the time limit or Ctrl-C cut short

lockstep exec -json prints a document launch for each launch of the program, one a line, on standard
error or to the file of -log: standard output is the program's. It has

  "number"     of the launch, from 1, as in the folder of -record
  "kernel", "engine", "schedule", sizes, "findings", "partial_checks", "completed" and "counters"
               as in the document of run
  "error"      why the launch did not start
  "host"       the call that launched it, where that is known: "api" is the function of OpenCL,
               "function", "file" and "line" are of the program, and "offset" is what addr2line
               takes for the file "module"
  "recorded"   the file of arguments of -record, and "timeline" the file of -trace

lockstep merge prints the document of the command whose results it puts together.

Where OpenCL C was compiled, the documents of run, explore, info, validate and error have

  "diagnostics"  what the compiler said: file, line and column, the end of the place, severity
               ("fatal error", "error", "warning" or "note"), the flag of a warning, message,
               fix (text to put there) and notes, which are diagnostics, too. Places have
               columns in bytes, from 1

A command that cannot do its work prints a document "error" with the message, its kind
("usage", "failed", "timeout" or "cancelled") and the command that explains; standard error has the
same message as text. Exit statuses are those of lockstep help exit.

run and validate -sarif FILE write the findings, or the broken rules, as SARIF 2.1.0, the format
that services for code scanning and editors take: codes as rules with their descriptions, places
with the line of source, the other side of a race as a related location, inlined calls as stacks,
and fingerprints that stay the same on every machine and where lines move. What "partial_checks"
says of run stands there as notifications of the invocation. A command that cannot
do its work writes none.
`

// document prints a document on standard output.
func (e *Env) document(name string, doc any) error {
	head, err := json.Marshal(name)
	if err != nil {
		return err
	}
	if err := writeDocument(e.Stdout, fmt.Sprintf(`{"schema":%d,"document":%s`, schemaVersion, head), doc); err != nil {
		return err
	}
	e.json.written = true
	return nil
}

// errorDocument prints the document of a command that failed with err.
func (e *Env) errorDocument(args []string, err error) error {
	var doc errorReport
	if len(args) > 0 {
		doc.Command = args[0]
	}
	doc.Error.Kind, doc.Error.Message = "failed", err.Error()
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		doc.Error.Kind, doc.Error.Message = "usage", usage.msg
		if usage.help != "" {
			doc.Error.Help = "lockstep " + usage.help
		}
	case errors.Is(err, errTimeLimit):
		doc.Error.Kind, doc.Error.Message = "timeout", "the time limit ended the command before the kernels ran"
	case errors.Is(err, errFound):
		doc.Error.Kind, doc.Error.Message = "cancelled", "cancelled before the work began"
	}
	doc.Diagnostics = e.json.diagnostics
	doc.Error.Message = strings.ToValidUTF8(doc.Error.Message, "\ufffd")
	return e.document("error", &doc)
}
