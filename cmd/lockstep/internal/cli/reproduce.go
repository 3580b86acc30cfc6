package cli

import (
	"flag"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/internal/words"
)

// presentation are the flags of run that say how results are shown, and those
// that a finding prints itself: the command that makes it happen again is without them.
var presentation = []string{"check", "benign", "schedule", "seed", "parallel", "workers", "json", "stats", "v", "q", "color", "trace", "trace-limit", "explain", "sarif", "report", "picture"}

// reproduce is the command line of this run without what the schedule and the
// presentation add. It must be called when the kernels are known.
func (o *runOptions) reproduce(f *flags) string {
	for _, p := range o.parts {
		p.checked = o.check
	}
	return o.commandLine(f, append([]string{"memory"}, presentation...))
}

// commandLine is a command line of lockstep run with what was given, but for these flags.
func (o *runOptions) commandLine(f *flags, without []string) string {
	if f.inFiles != nil && !slices.ContainsFunc(without, func(name string) bool { return f.inFiles[name] }) {
		return strings.Join(append([]string{"lockstep run"}, o.shortened(f, without)...), " ")
	}
	line := []string{"lockstep run"}
	for i, p := range o.parts {
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
func (o *runOptions) separator(i int) string {
	if o.parts[i].stage != o.parts[i-1].stage {
		return thenFlag
	}
	return withFlag
}

// words are those of the part: the outputs that take packets out of pipes are part of what happens, and with checks those
// of memory that may be undefined; others are not.
func (o *partOptions) words() []string {
	var line []string
	if o.own {
		line = append(line, words.Quote(o.path))
	}
	for _, f := range []struct{ name, value string }{{"kernel", o.kernel}, {"global", o.global}, {"local", o.local}, {"offset", o.offset}} {
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
		if o.takesPackets(out) || o.showOuts && strings.HasSuffix(out, "=-") {
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
func common(f *flags, without []string) []string {
	var line []string
	part := partFlags()
	f.Visit(func(fl *flag.Flag) {
		if part[fl.Name] || fl.Name == withFlag || fl.Name == thenFlag || slices.Contains(without, fl.Name) {
			return
		}
		switch v := fl.Value.(type) {
		case *list:
			for _, item := range *v {
				line = append(line, "-"+fl.Name, words.Quote(item))
			}
		case interface{ IsBoolFlag() bool }:
			line = append(line, "-"+fl.Name)
		default:
			line = append(line, "-"+fl.Name, words.Quote(v.String()))
		}
	})
	if f.source != nil {
		for _, w := range f.source.words {
			line = append(line, words.Quote(w))
		}
	}
	return line
}

// shortened is the command line as it was given, with its @FILEs, but for the
// flags without.
func (o *runOptions) shortened(f *flags, without []string) []string {
	var line []string
	for i := 0; i < len(f.top); i++ {
		text := f.top[i]
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
			for _, w := range f.top[i:min(i+n, len(f.top))] {
				line = append(line, words.Quote(w))
			}
		}
		i += n - 1
	}
	return line
}
