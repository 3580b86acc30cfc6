package parse

import (
	"fmt"
	"os"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/pp"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/sema"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
)

// parsed is what came of a source.
type parsed struct {
	unit *tree.Unit
	bag  *diag.Bag
}

// parseText reads a source with all warnings on.
func parseText(text string, version lang.Version) parsed {
	return parseWith(text, version, diag.Options{})
}

func parseWith(text string, version lang.Version, o diag.Options) parsed {
	return parseFile("t.cl", text, version, o)
}

// parseFile reads a source that may include others.
func parseFile(name, text string, version lang.Version, o diag.Options) parsed {
	opts := lang.Default()
	opts.Version = version
	files, names := source.NewSet(), token.NewNames()
	bag := diag.NewBag(files, o)
	toks := pp.New(files, names, bag, pp.Config{Lang: &opts, Name: name, Text: text, Open: openFile})
	return parsed{Unit(toks, sema.New(&opts, files, names, bag)), bag}
}

// messages returns the diagnostics, a line for each: place, severity, message, name of the warning.
func (p parsed) messages() string {
	var b strings.Builder
	var write func(d *diag.Diagnostic)
	write = func(d *diag.Diagnostic) {
		at := p.bag.Files.Position(d.Pos)
		fmt.Fprintf(&b, "%d:%d: %s: %s", at.Line, at.Column, d.Severity, d.Message)
		if d.Flag != "" {
			fmt.Fprintf(&b, " [-W%s]", d.Flag)
		}
		b.WriteByte('\n')
		for _, n := range d.Notes {
			write(n)
		}
	}
	for _, d := range p.bag.List {
		write(d)
	}
	return b.String()
}

func openFile(name string) (string, bool) {
	b, err := os.ReadFile(name)
	return string(b), err == nil
}
