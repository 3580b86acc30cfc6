package toolchain

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/internal/words"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// ValidateCommand is lockstep validate.
var ValidateCommand = &cmdline.Command{
	Name:  "validate",
	Args:  "MODULE",
	Short: "check a module against the rules of SPIR-V and OpenCL",
	Text:  true,
	Long: `Checks a module against the rules of SPIR-V and of its OpenCL environment. Prints each rule
that the module breaks, with its name and the instruction, and exits with status 1 if there
are any. The rules are strict: some modules break them that compilers make and that every
driver accepts. -load checks only the rules that
` + "`lockstep run`" + ` relies on.
`,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		f.Compiler()
		asJSON := f.Bool("json", false, "print one JSON document")
		load := f.Bool("load", false, "only the rules that running a module relies on")
		sarif := f.String("sarif", "", "write the broken rules to `FILE` as SARIF 2.1.0; - is standard output, in place of\nthe text")
		most := f.Int("max", 100, "stop after `N` broken rules")
		return func(ctx context.Context, env *cmdline.Env, args []string) error {
			path, err := cmdline.OneModule("validate", args)
			if err != nil {
				return err
			}
			if *most < 1 {
				return cmdline.Usagef("help validate", "validate: -max %d: at least 1", *most)
			}
			if *sarif != "" {
				if err := (cmdline.OutFile{Flag: "sarif", Path: *sarif}).Check(env, "validate", *asJSON); err != nil {
					return err
				}
			}
			if *sarif != "" && *sarif != "-" && filepath.Clean(*sarif) == filepath.Clean(path) {
				return cmdline.Usagef("help validate", "validate: -sarif %s: the file is also read; write to another one", *sarif)
			}
			m, sm, err := loader.Decode(ctx, env, path)
			if err != nil {
				return err
			}
			broken := validate.Validate(sm, validate.Options{Strict: !*load, MaxErrors: *most})
			if *sarif != "" {
				line := []string{"lockstep validate", words.Quote(path)}
				if *load {
					line = append(line, "-load")
				}
				for _, w := range f.Source.Words {
					line = append(line, words.Quote(w))
				}
				err := cmdline.SaveSARIF(env, *sarif, brokenFindings(broken), finding.SARIFRun{Command: strings.Join(line, " "), Completed: true,
					Module: func(string) string { return path }, Rule: cmdline.RuleText}, len(broken) > 0)
				if err != nil {
					return err
				}
			}
			switch {
			case *asJSON:
				v := newVerdict(path, broken)
				v.Diagnostics = env.JSON.Diagnostics
				err = env.WriteDocument("validate", v)
			case *sarif != "-":
				err = printVerdict(env.Stdout, m.Name, broken)
			}
			if err == nil && len(broken) > 0 {
				err = cmdline.ErrFound
			}
			return err
		}
	},
}

// Verdict is the JSON document of `lockstep validate`. Field names are stable.
type Verdict struct {
	Module string       `json:"module"`
	Valid  bool         `json:"valid"`
	Broken []brokenRule `json:"broken"`
	// Diagnostics is what the compiler said of a source.
	Diagnostics []clc.Diagnostic `json:"diagnostics,omitempty"`
}

type brokenRule struct {
	Rule    string `json:"rule"`
	Word    int    `json:"word"`
	Opcode  string `json:"opcode,omitempty"`
	ID      uint32 `json:"id,omitempty"`
	Name    string `json:"name,omitempty"`
	Message string `json:"message"`
}

func newVerdict(path string, broken validate.Errors) *Verdict {
	v := &Verdict{Module: path, Valid: len(broken) == 0, Broken: []brokenRule{}}
	for _, e := range broken {
		b := brokenRule{Rule: e.Rule, Word: e.Offset, ID: uint32(e.ID), Name: e.Name, Message: e.Message}
		if e.Offset > 0 {
			b.Opcode = e.Op.String()
		}
		v.Broken = append(v.Broken, b)
	}
	return v
}

func printVerdict(w io.Writer, name string, broken validate.Errors) error {
	if len(broken) == 0 {
		_, err := fmt.Fprintf(w, "%s: valid\n", name)
		return err
	}
	for _, e := range broken {
		if _, err := fmt.Fprintf(w, "%s: %s\n", name, cmdline.Printable(e.Error())); err != nil {
			return err
		}
	}
	return nil
}

// brokenFindings are broken rules as findings, for SARIF.
func brokenFindings(broken validate.Errors) *finding.List {
	list := new(finding.List)
	for _, e := range broken {
		f := finding.Finding{Code: finding.Code(e.Rule), Severity: finding.Error, Message: e.Message, Place: finding.Place{Word: uint32(e.Offset)}, Count: 1}
		if e.Offset > 0 {
			f.Place.Instruction = e.Op.String()
		}
		if e.Name != "" {
			f.Notes = []string{fmt.Sprintf("%%%d is %s", e.ID, e.Name)}
		}
		list.Findings = append(list.Findings, f)
	}
	return list
}
