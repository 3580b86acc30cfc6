package dispatch

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// This file has the help topics about the compiler of OpenCL C.

// openclText explains how OpenCL C becomes a module.
func openclText() string {
	var b strings.Builder
	b.WriteString(openclHead)
	var idle []string
	for _, o := range clc.AllOptions() {
		switch {
		case strings.HasPrefix(o.Help, "taken"):
			idle = append(idle, strings.Fields(o.Name)...)
		case len(o.Name) < 24:
			fmt.Fprintf(&b, "  %-24s%s\n", o.Name, o.Help)
		default:
			fmt.Fprintf(&b, "  %s\n%26s%s\n", o.Name, "", o.Help)
		}
	}
	fmt.Fprintf(&b, "\nThese are taken and change nothing. Results are the same bits everywhere:\n\n%s\n",
		cmdline.Indent("  ", cmdline.Wrap(strings.Join(idle, " "), 86)))
	b.WriteString(openclTail)
	return b.String()
}

const openclHead = `lockstep compiles OpenCL C 1.0 to 3.0 by itself. Every command takes k.cl in the place of a
module:

  lockstep run k.cl -D N=64 -global 1024 -arg zero:f32:1024

lockstep cc k.cl -o k.spv writes the module, which any OpenCL driver with SPIR-V takes.
Several sources are compiled one by one and linked: lockstep cc a.cl b.cl -o ab.spv. run
takes one source, or one for each kernel (-with, -then).

A file is a source if its name ends in .cl, or if it looks like one; for cc, everything is
one that is no module. - is standard input. Options stand anywhere on the line, are for all
sources of the command, and are those of clBuildProgram:

`

const openclTail = `
The compiler reports all errors and warnings of a source on standard error, with the line, a
mark below the place, and the option that turns a warning off. With -json they are in the
document, too. A source with an error ends the command with exit status 2.

  lockstep help builtins   the built-in functions, with their overloads
  lockstep help warnings   the warnings
  lockstep help CODE       what can be found when a kernel runs (lockstep help codes)

Device-side enqueue and blocks are refused; everything else of the specification is there.

-front-end clang compiles with clang and llvm-spirv instead, the newest pair of one version
from 14 on that PATH has (Debian: apt-get install clang-15 llvm-spirv-15). It passes the
options above on. LOCKSTEP_CLANG and LOCKSTEP_LLVM_SPIRV name other programs, and
LOCKSTEP_CLANG_FLAGS has further arguments of clang. LLVM bitcode (k.bc) is translated by
llvm-spirv in any case.
`

// warningsText lists the warnings.
func warningsText() string {
	var b strings.Builder
	b.WriteString(`The warnings of the compiler of OpenCL C. -WNAME turns one on, -Wno-NAME turns it off,
-Werror=NAME makes it an error, and -Werror makes all of them errors. The last option counts.
-w turns all off. In a source, #pragma clang diagnostic does the same for a part of it. Those
marked with * are on from the start; the others are also turned on by the options in brackets.

`)
	for _, w := range clc.Warnings() {
		mark := " "
		if w.On {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %-36s %s%s\n", mark, w.Name, w.Help, groupsOf(&w))
	}
	b.WriteString("\n`lockstep help warnings NAME` says more about one.\n")
	return b.String()
}

// groupsOf names the options that turn a warning on.
func groupsOf(w *clc.Warning) string {
	if w.On || len(w.Groups) == 0 {
		return ""
	}
	return " [-W" + strings.Join(w.Groups, " -W") + "]"
}

// warningText is about one warning, or one group of them.
func warningText(name string) (string, error) {
	word := strings.TrimPrefix(name, "-")
	if strings.HasPrefix(name, "-") {
		word = strings.TrimPrefix(word, "W")
	}
	for _, prefix := range []string{"no-error=", "error=", "no-"} {
		if rest, ok := strings.CutPrefix(word, prefix); ok {
			word = rest
			break
		}
	}
	var members strings.Builder
	for _, w := range clc.Warnings() {
		if w.Name == word {
			state := "It is off; these options turn it on: -W" + strings.Join(append([]string{w.Name}, w.Groups...), " -W")
			if w.On {
				state = "It is on; -Wno-" + w.Name + " turns it off"
			}
			return fmt.Sprintf("-W%s: %s.\n%s. -Werror=%s makes it an error.\n", w.Name, w.Help, state, w.Name), nil
		}
		for _, g := range w.Groups {
			if g == word {
				fmt.Fprintf(&members, "  %-36s %s\n", w.Name, w.Help)
			}
		}
	}
	if members.Len() > 0 {
		return fmt.Sprintf("-W%s turns these warnings on:\n\n%s", word, members.String()), nil
	}
	near := ""
	if n := clc.NearestWarning("-W" + word); n != "" {
		near = fmt.Sprintf("; did you mean %q?", strings.TrimPrefix(n, "-W"))
	}
	return "", cmdline.Usagef("help warnings", "help: there is no warning %q%s", name, near)
}

// builtinsText lists the built-in functions by group.
func builtinsText() string {
	var b strings.Builder
	b.WriteString(`The built-in functions of OpenCL C, by group. {a,b} in a name stands for each of the parts.

`)
	names := map[string][]string{}
	var order []string
	for i := range clc.Functions() {
		f := &clc.Functions()[i]
		if names[f.Group] == nil {
			order = append(order, f.Group)
		}
		for _, n := range strings.Fields(f.Name) {
			if list := names[f.Group]; len(list) == 0 || list[len(list)-1] != n {
				names[f.Group] = append(list, n)
			}
		}
	}
	for _, g := range order {
		fmt.Fprintf(&b, "%s\n%s\n", g, cmdline.Indent("  ", cmdline.Wrap(strings.Join(unique(names[g]), " "), 88)+"\n"))
	}
	b.WriteString("`lockstep help builtins NAME` says more about a group or a function.\n")
	return b.String()
}

// unique returns the words without those that stand there before.
func unique(words []string) []string {
	seen := map[string]bool{}
	var list []string
	for _, w := range words {
		if !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	}
	return list
}

// builtinText is about a group of built-in functions, a section of the specification, or one function.
func builtinText(name string) (string, error) {
	if rows := clc.FunctionsOf(name); len(rows) > 0 {
		return functionText(name, rows), nil
	}
	var b strings.Builder
	for i := range clc.Functions() {
		f := &clc.Functions()[i]
		if f.Group != name && f.Section != name && f.Extension != name {
			continue
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "%s%s\n\n", f.Title, sectionText(f))
		}
		first, rest, more := strings.Cut(cmdline.Wrap(f.Help+versionText(f), 84), "\n")
		fmt.Fprintf(&b, "  %s\n      %s\n", f.Name, first)
		if more {
			b.WriteString(cmdline.Indent("      ", rest) + "\n")
		}
	}
	if b.Len() > 0 {
		b.WriteString("\n`lockstep help builtins NAME` lists the overloads of a function.\n")
		return b.String(), nil
	}
	near := ""
	if n := clc.NearestFunction(name); n != "" {
		near = fmt.Sprintf("; did you mean %q?", n)
	}
	return "", cmdline.Usagef("help builtins", "help: there is no built-in function %q%s", name, near)
}

// sectionText names the section of the specification that describes a function.
func sectionText(f *clc.Function) string {
	if f.Section == "" {
		return ""
	}
	return " (OpenCL C 3.0, section " + f.Section + ")"
}

// versionText says which versions of the language have a function, and what it needs.
func versionText(f *clc.Function) string {
	text := ""
	if f.Since != 0 {
		text += fmt.Sprintf(" From OpenCL C %s on.", version(f.Since))
	}
	if f.Until != 0 {
		text += fmt.Sprintf(" Before OpenCL C %s.", version(f.Until))
	}
	if f.Extension != "" && f.Extension != f.Group {
		text += " Part of " + f.Extension + "."
	}
	if f.Refused != "" {
		text += " Refused: " + f.Refused + "."
	}
	return text
}

// version writes a version of the language as people do.
func version(v clc.Version) string { return fmt.Sprintf("%d.%d", v/100, v/10%10) }

// functionText is about one function.
func functionText(name string, rows []clc.Function) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s%s\n\n", name, rows[0].Title, sectionText(&rows[0]))
	for i := range rows {
		f := &rows[i]
		b.WriteString(cmdline.Wrap(f.Help+versionText(f), 88) + "\n")
		if f.Pattern != "" && f.Group != "conversion" {
			b.WriteByte('\n')
			for _, p := range strings.Split(f.Pattern, "; ") {
				fmt.Fprintf(&b, "  %s\n", strings.Replace(p, "(", " "+name+"(", 1))
			}
		}
	}
	var last string
	for _, v := range []clc.Version{clc.CL30, clc.CL20, clc.CL12, clc.CL11, clc.CL10} {
		list := clc.Overloads(name, v)
		text := cmdline.Indent("  ", strings.Join(list, "\n")+"\n")
		if len(list) == 0 || text == last {
			continue
		}
		if last != "" {
			fmt.Fprintf(&b, "\nIn OpenCL C %s, it is declared otherwise:\n\n%s", version(v), text)
			break
		}
		fmt.Fprintf(&b, "\nIn OpenCL C %s:\n\n%s", version(v), text)
		last = text
	}
	return b.String()
}
