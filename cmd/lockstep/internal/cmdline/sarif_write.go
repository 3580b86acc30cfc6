package cmdline

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// SaveSARIF writes findings to the file of -sarif.
func SaveSARIF(env *Env, path string, list *finding.List, about finding.SARIFRun, found bool) error {
	about.Version = emu.Version
	if found {
		about.ExitCode = ExitFinding
	}
	module := about.Module
	about.Module = func(kernel string) string {
		if path := module(kernel); path != "-" {
			return path
		}
		return "" // standard input has no name
	}
	data, err := list.SARIF(about)
	if err == nil {
		err = WriteFile(env, path, func(w io.Writer) error {
			_, err := w.Write(append(indentJSON(nil, bytes.TrimSpace(data)), '\n'))
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("-sarif %s: %w", path, err)
	}
	return nil
}

// RuleText describes a rule of modules.
func RuleText(c finding.Code) finding.Description {
	for _, r := range validate.Rules() {
		if r.Name == string(c) {
			section, env := strings.CutPrefix(r.Section, "env ")
			from := "SPIR-V Specification"
			if env {
				from = "OpenCL SPIR-V Environment Specification"
			}
			return finding.Description{Code: c, Title: r.Text, Text: fmt.Sprintf("%s (%s, section %s)", r.Text, from, section)}
		}
	}
	return finding.Description{}
}
