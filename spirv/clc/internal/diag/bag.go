package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
)

// Options says which warnings there are.
type Options struct {
	Disabled    map[string]bool // warnings by name that are not given, after all -W options
	Errors      map[string]bool // warnings that are errors
	AllErrors   bool            // -Werror
	NotErrors   map[string]bool // -Wno-error=NAME
	NoWarnings  bool            // -w
	MaxErrors   int             // errors after which nothing more is collected; 0 is 1000
	MaxWarnings int             // warnings after which no more are collected; 0 is 1000
}

// Bag collects diagnostics in the order in which they are found.
type Bag struct {
	Files *source.Set
	List  []*Diagnostic

	opts             Options
	errors, warnings int
	fatal            bool
	pragmas          map[string]string   // #pragma clang diagnostic: what holds now for warnings by name
	pushed           []map[string]string // and before each push
	changes          int                 // see Changes
}

// NewBag returns an empty Bag.
func NewBag(files *source.Set, opts Options) *Bag {
	if opts.MaxErrors == 0 {
		opts.MaxErrors = 1000
	}
	if opts.MaxWarnings == 0 {
		opts.MaxWarnings = 1000
	}
	return &Bag{Files: files, opts: opts}
}

// Errors returns the number of errors, fatal ones included.
func (b *Bag) Errors() int { return b.errors }

// Warnings returns the number of warnings.
func (b *Bag) Warnings() int { return b.warnings }

// Stopped reports whether a fatal error, or too many errors, make it useless to go on.
func (b *Bag) Stopped() bool { return b.fatal }

// Errorf adds an error. It returns nil when there are too many already; methods of Diagnostic accept that.
func (b *Bag) Errorf(pos source.Pos, format string, args ...any) *Diagnostic {
	if b.fatal {
		return nil
	}
	d := &Diagnostic{Severity: Error, Pos: pos, Message: say(format, args)}
	b.errors++
	b.List = append(b.List, d)
	if b.errors >= b.opts.MaxErrors {
		b.Fatalf(pos, "too many errors, stopping here")
	}
	return d
}

// Fatalf adds an error behind which nothing is collected any more.
func (b *Bag) Fatalf(pos source.Pos, format string, args ...any) *Diagnostic {
	if b.fatal {
		return nil
	}
	d := &Diagnostic{Severity: Fatal, Pos: pos, Message: say(format, args)}
	b.errors++
	b.fatal = true
	b.List = append(b.List, d)
	return d
}

// Warnf adds a warning of the name flag (without "-W"). It returns nil when the warning is off.
func (b *Bag) Warnf(flag string, pos source.Pos, format string, args ...any) *Diagnostic {
	if !b.Enabled(flag) {
		return nil
	}
	asError := b.opts.Errors[flag] || b.opts.AllErrors && !b.opts.NotErrors[flag]
	switch b.pragmas[flag] {
	case "error", "fatal":
		asError = true
	case "warning":
		asError = false
	}
	if asError {
		d := b.Errorf(pos, format, args...)
		if d != nil {
			d.Flag = flag
		}
		return d
	}
	if b.warnings >= b.opts.MaxWarnings {
		return nil
	}
	d := &Diagnostic{Severity: Warning, Flag: flag, Pos: pos, Message: say(format, args)}
	b.warnings++
	b.List = append(b.List, d)
	return d
}

// Enabled reports whether a warning would be given, for warnings that cost work to find.
func (b *Bag) Enabled(flag string) bool {
	if b.fatal || b.opts.NoWarnings {
		return false
	}
	if b.pragmas != nil {
		if action, ok := b.pragmas[flag]; ok {
			return action != "ignored"
		}
	}
	return !b.opts.Disabled[flag]
}

// Set does #pragma clang diagnostic: from now on the warnings of a name are "ignored", "warning", "error" or "fatal". It
// reports whether there are any.
func (b *Bag) Set(name, action string) bool {
	if !KnownWarning(name) {
		return false
	}
	next := make(map[string]string, len(b.pragmas)+1)
	for n, a := range b.pragmas {
		next[n] = a
	}
	for _, n := range names(name) {
		next[n] = action
	}
	b.pragmas = next
	b.changes++
	return true
}

// Changes counts how often Set and Pop have changed which warnings there are, for those who remember what Enabled
// said.
func (b *Bag) Changes() int { return b.changes }

// Push keeps what Set has done, for Pop.
func (b *Bag) Push() {
	if len(b.pushed) < maxPushed {
		b.pushed = append(b.pushed, b.pragmas)
	}
}

// maxPushed is how deep #pragma clang diagnostic push may nest.
const maxPushed = 1 << 12

// Pop goes back to what held at the last Push, and reports whether there was one.
func (b *Bag) Pop() bool {
	n := len(b.pushed) - 1
	if n < 0 {
		return false
	}
	b.pragmas = b.pushed[n]
	b.pushed = b.pushed[:n]
	b.changes++
	return true
}

// say returns a message. What it quotes of the source may have characters that cannot be printed.
func say(format string, args []any) string { return printable(fmt.Sprintf(format, args...)) }

// printable returns a text with a name for each character that cannot be printed.
func printable(text string) string {
	odd := func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r == 0x7f }
	if utf8.ValidString(text) && !strings.ContainsFunc(text, odd) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = layout(l).text
	}
	return strings.Join(lines, "\n")
}
