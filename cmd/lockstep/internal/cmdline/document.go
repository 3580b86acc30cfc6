package cmdline

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// SchemaVersion is the version of the documents of -json. It grows when a field goes
// away or changes its meaning; new fields do not change it.
const SchemaVersion = 1

// JSONState is what a command does about -json.
type JSONState struct {
	Wanted  bool // the command line asks for a document
	Written bool // there is one on standard output
	// Diagnostics is what the compiler of OpenCL C has said.
	Diagnostics []clc.Diagnostic
}

// ErrorReport is the document of a command that could not do its work.
type ErrorReport struct {
	Command string `json:"command,omitempty"`
	Error   struct {
		Kind    string `json:"kind"` // "usage", "failed", "timeout" or "cancelled"
		Message string `json:"message"`
		Help    string `json:"help,omitempty"` // the command that explains
	} `json:"error"`
	Diagnostics []clc.Diagnostic `json:"diagnostics,omitempty"` // of a source
}

// WriteDocument prints a document on standard output.
func (e *Env) WriteDocument(name string, doc any) error {
	head, err := json.Marshal(name)
	if err != nil {
		return err
	}
	if err := writeDocument(e.Stdout, fmt.Sprintf(`{"schema":%d,"document":%s`, SchemaVersion, head), doc); err != nil {
		return err
	}
	e.JSON.Written = true
	return nil
}

// WriteErrorDocument prints the document of a command that failed with err.
func (e *Env) WriteErrorDocument(args []string, err error) error {
	var doc ErrorReport
	if len(args) > 0 {
		doc.Command = args[0]
	}
	doc.Error.Kind, doc.Error.Message = "failed", err.Error()
	var usage *UsageError
	switch {
	case errors.As(err, &usage):
		doc.Error.Kind, doc.Error.Message = "usage", usage.Message
		if usage.Help != "" {
			doc.Error.Help = "lockstep " + usage.Help
		}
	case errors.Is(err, ErrTimeLimit):
		doc.Error.Kind, doc.Error.Message = "timeout", "the time limit ended the command before the kernels ran"
	case errors.Is(err, ErrFound):
		doc.Error.Kind, doc.Error.Message = "cancelled", "cancelled before the work began"
	}
	doc.Diagnostics = e.JSON.Diagnostics
	doc.Error.Message = strings.ToValidUTF8(doc.Error.Message, "\ufffd")
	return e.WriteDocument("error", &doc)
}
