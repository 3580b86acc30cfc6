package cli

import (
	"flag"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// presentation are the flags of run that say how results are shown, and those
// that a finding prints itself: the command that makes it happen again is without them.
var presentation = []string{"check", "benign", "schedule", "seed", "parallel", "workers", "json", "stats", "v", "q", "color", "trace", "trace-limit", "explain", "sarif", "report"}

// reproduce is the command line of this run without what the schedule and the
// presentation add. It must be called when the kernels are known.
func (o *runOptions) reproduce(f *flags) string {
	return o.commandLine(f, append([]string{"memory"}, presentation...))
}

// commandLine is a command line of lockstep run with what was given, but for these flags.
func (o *runOptions) commandLine(f *flags, without []string) string {
	if f.inFiles != nil && !slices.ContainsFunc(without, func(name string) bool { return f.inFiles[name] }) {
		return strings.Join(append([]string{"lockstep run"}, o.shortened(f, without)...), " ")
	}
	words := []string{"lockstep run"}
	for i, p := range o.parts {
		if i > 0 {
			words = append(words, "-"+o.separator(i))
		}
		words = append(words, p.words()...)
		if i == 0 {
			words = append(words, common(f, without)...)
		}
	}
	return strings.Join(words, " ")
}

// separator is the flag before part i.
func (o *runOptions) separator(i int) string {
	if o.parts[i].stage != o.parts[i-1].stage {
		return thenFlag
	}
	return withFlag
}

// words are those of the part: the outputs that take packets out of pipes are
// part of what happens, others are not.
func (o *partOptions) words() []string {
	var words []string
	if o.own {
		words = append(words, quote(o.path))
	}
	for _, f := range []struct{ name, value string }{{"kernel", o.kernel}, {"global", o.global}, {"local", o.local}, {"offset", o.offset}} {
		if f.value != "" {
			words = append(words, "-"+f.name, quote(f.value))
		}
	}
	for _, a := range *o.args {
		words = append(words, "-arg", quote(a))
	}
	for _, out := range *o.outs {
		if o.takesPackets(out) || o.showOuts && strings.HasSuffix(out, "=-") {
			words = append(words, "-out", quote(out))
		}
	}
	for _, s := range *o.specs {
		words = append(words, "-spec", quote(s))
	}
	if o.repeat != 1 {
		words = append(words, "-repeat", strconv.Itoa(o.repeat))
	}
	return words
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
	var words []string
	part := partFlags()
	f.Visit(func(fl *flag.Flag) {
		if part[fl.Name] || fl.Name == withFlag || fl.Name == thenFlag || slices.Contains(without, fl.Name) {
			return
		}
		switch v := fl.Value.(type) {
		case *list:
			for _, item := range *v {
				words = append(words, "-"+fl.Name, quote(item))
			}
		case interface{ IsBoolFlag() bool }:
			words = append(words, "-"+fl.Name)
		default:
			words = append(words, "-"+fl.Name, quote(v.String()))
		}
	})
	if f.source != nil {
		for _, w := range f.source.words {
			words = append(words, quote(w))
		}
	}
	return words
}

// shortened is the command line as it was given, with its @FILEs, but for the
// flags without.
func (o *runOptions) shortened(f *flags, without []string) []string {
	var words []string
	for i := 0; i < len(f.top); i++ {
		text := f.top[i]
		name, _, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(text, "-"), "-"), "=")
		fl := f.Lookup(name)
		if !strings.HasPrefix(text, "-") || fl == nil {
			words = append(words, quote(text))
			continue
		}
		n := 1
		if b, ok := fl.Value.(interface{ IsBoolFlag() bool }); !hasValue && (!ok || !b.IsBoolFlag()) {
			n = 2
		}
		if !slices.Contains(without, name) {
			for _, w := range f.top[i:min(i+n, len(f.top))] {
				words = append(words, quote(w))
			}
		}
		i += n - 1
	}
	return words
}

// quote writes a word as a shell takes it.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
