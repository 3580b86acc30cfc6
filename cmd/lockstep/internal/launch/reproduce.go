package launch

import (
	"flag"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/internal/words"
)

// Presentation are the flags of run that say how results are shown, and those
// that a finding prints itself: the command that makes it happen again is without them.
var Presentation = []string{"check", "benign", "schedule", "seed", "parallel", "workers", "json", "stats", "v", "q", "color", "trace", "trace-limit", "explain", "sarif", "report", "picture"}

// reproduce is the command line of this run without what the schedule and the
// presentation add. It must be called when the kernels are known.
func (o *Options) reproduce(f *cmdline.Flags) string {
	for _, p := range o.Parts {
		p.checked = o.Check
	}
	return o.CommandLine(f, append([]string{"memory"}, Presentation...))
}

// CommandLine is a command line of lockstep run with what was given, but for these flags.
func (o *Options) CommandLine(f *cmdline.Flags, without []string) string {
	if f.InFiles != nil && !slices.ContainsFunc(without, func(name string) bool { return f.InFiles[name] }) {
		return strings.Join(append([]string{"lockstep run"}, o.shortened(f, without)...), " ")
	}
	line := []string{"lockstep run"}
	for i, p := range o.Parts {
		if i > 0 {
			line = append(line, "-"+o.separator(i))
		}
		line = append(line, p.words()...)
		if i == 0 {
			line = append(line, common(f, without)...)
		}
	}
	return strings.Join(line, " ")
}

// separator is the flag before part i.
func (o *Options) separator(i int) string {
	if o.Parts[i].stage != o.Parts[i-1].stage {
		return cmdline.ThenFlag
	}
	return cmdline.WithFlag
}

// words are those of the part: the outputs that take packets out of pipes are part of what happens, and with checks those
// of memory that may be undefined; others are not.
func (o *partOptions) words() []string {
	var line []string
	if o.own {
		line = append(line, words.Quote(o.Path))
	}
	for _, f := range []struct{ name, value string }{{"kernel", o.kernel}, {"global", o.Global}, {"local", o.local}, {"offset", o.offset}} {
		if f.value != "" {
			line = append(line, "-"+f.name, words.Quote(f.value))
		}
	}
	for _, a := range *o.args {
		line = append(line, "-arg", words.Quote(a))
	}
	for _, out := range *o.outs {
		if to, ok := o.readsUndefined(out); ok && o.checked {
			line = append(line, "-out", words.Quote(to))
			continue
		}
		if o.takesPackets(out) || o.ShowOuts && strings.HasSuffix(out, "=-") {
			line = append(line, "-out", words.Quote(out))
		}
	}
	for _, s := range *o.specs {
		line = append(line, "-spec", words.Quote(s))
	}
	if o.repeat != 1 {
		line = append(line, "-repeat", strconv.Itoa(o.repeat))
	}
	return line
}

// readsUndefined says whether an -out is of a numbered argument that may be undefined at first, so that the checks look at
// what is read. It returns the -out that prints the values instead.
func (o *partOptions) readsUndefined(out string) (print string, ok bool) {
	index, _, err := argspec.ParseOut(out)
	if err != nil || index >= len(*o.args) {
		return "", false
	}
	arg := (*o.args)[index]
	return strconv.Itoa(index) + "=-", strings.HasPrefix(arg, "undef:") || strings.HasPrefix(arg, "buffer:")
}

// takesPackets says whether an -out may be of a pipe.
func (o *partOptions) takesPackets(out string) bool {
	if _, _, ok, _ := argspec.ParseNamedOut(out); ok {
		return true
	}
	if head, _, _ := strings.Cut(out, "="); strings.Contains(head, "{") {
		return true
	}
	index, _, err := argspec.ParseOut(out)
	return err == nil && index < len(*o.args) && strings.HasPrefix((*o.args)[index], "pipe:")
}

// common are the flags that are about all kernels, but for those without.
func common(f *cmdline.Flags, without []string) []string {
	var line []string
	part := PartFlags()
	f.Visit(func(fl *flag.Flag) {
		if part[fl.Name] || fl.Name == cmdline.WithFlag || fl.Name == cmdline.ThenFlag || slices.Contains(without, fl.Name) {
			return
		}
		switch v := fl.Value.(type) {
		case *cmdline.List:
			for _, item := range *v {
				line = append(line, "-"+fl.Name, words.Quote(item))
			}
		case interface{ IsBoolFlag() bool }:
			line = append(line, "-"+fl.Name)
		default:
			line = append(line, "-"+fl.Name, words.Quote(v.String()))
		}
	})
	if f.Source != nil {
		for _, w := range f.Source.Words {
			line = append(line, words.Quote(w))
		}
	}
	return line
}

// shortened is the command line as it was given, with its @FILEs, but for the
// flags without.
func (o *Options) shortened(f *cmdline.Flags, without []string) []string {
	var line []string
	for i := 0; i < len(f.Top); i++ {
		text := f.Top[i]
		name, _, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(text, "-"), "-"), "=")
		fl := f.Lookup(name)
		if !strings.HasPrefix(text, "-") || fl == nil {
			line = append(line, words.Quote(text))
			continue
		}
		n := 1
		if b, ok := fl.Value.(interface{ IsBoolFlag() bool }); !hasValue && (!ok || !b.IsBoolFlag()) {
			n = 2
		}
		if !slices.Contains(without, name) {
			for _, w := range f.Top[i:min(i+n, len(f.Top))] {
				line = append(line, words.Quote(w))
			}
		}
		i += n - 1
	}
	return line
}
