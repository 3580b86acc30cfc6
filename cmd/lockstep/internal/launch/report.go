package launch

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// output is an -out.
type output struct {
	Launch *Launch // whose argument it names, and the number of that; or
	Index  int
	shared *shared // which it names
	Pipe   *Pipe   // nil where either is no pipe
	text   string  // INDEX=PATH as given
	Path   string
}

// data calls f with what the -out is about. A buffer is not copied for that.
func (o *output) data(f func([]byte) error) error {
	var failed error // of f, which says itself what it is about
	use := func(data []byte) error {
		failed = f(data)
		return nil
	}
	var err error
	switch {
	case o.Pipe != nil:
		var data []byte
		if data, err = o.Pipe.contents(); err == nil {
			err = use(data)
		}
	case o.shared != nil:
		err = bufferBytes(o.shared.Buffer, use)
	default:
		err = o.Launch.Args[o.Index].bytes(use)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.Called(), err)
	}
	return failed
}

// writing is about how many bytes of the host's memory the -out takes while it is written. What is in json is
// held as text, several times as it grows and gets its form.
func (o *output) writing(json bool) uint64 {
	n, copied := o.size()
	spec := o.Spec()
	switch {
	case json && o.Path == "-":
		const perValue, indent, copies = 8, 10, 4
		return n / uint64(spec.Type.Size()) * uint64(indent+perValue*min(spec.Type.Size(), 3)) * copies
	case spec.Image != nil && strings.EqualFold(filepath.Ext(o.Path), ".png"):
		const most = 8 // bytes of a pixel
		return copied + uint64(spec.Image.Width)*uint64(spec.Image.Height)*uint64(spec.Image.Depth)*most
	}
	return copied
}

// size is how many bytes the -out is about, and how many of them are copied; it is not known of pipes that
// are drained.
func (o *output) size() (n, copied uint64) {
	switch {
	case o.Pipe != nil && o.Pipe.Drains():
		return 0, 0
	case o.Pipe != nil:
		n = uint64(o.Pipe.Spec.Pipe.PacketBytes) * uint64(o.Pipe.Spec.Pipe.Capacity)
		return n, n
	case o.shared != nil:
		return o.shared.Buffer.Size(), 0
	}
	a := &o.Launch.Args[o.Index]
	if a.Image == nil {
		return a.Buffer.Size(), 0
	}
	n = a.Image.Size()
	return n, n
}

// Spec describes what the -out is about.
func (o *output) Spec() *argspec.Arg {
	switch {
	case o.Pipe != nil:
		return o.Pipe.Spec
	case o.shared != nil:
		return o.shared.Spec
	}
	return o.Launch.Args[o.Index].Spec
}

// Called is a heading: "argument 2, global float* y", "pipe a".
func (o *output) Called() string {
	if o.shared != nil {
		return o.shared.flag() + " " + o.shared.Name
	}
	p := o.Launch.Kernel.Params()[o.Index]
	s := fmt.Sprintf("argument %d, %s", o.Index, paramText(&p))
	if len(o.Launch.run.Launches) > 1 {
		s = o.Launch.Label() + ", " + s
	}
	return s
}

// save writes data where the -out says, unless it is there already.
func (o *output) save(env *cmdline.Env, data []byte) error {
	var err error
	switch p := o.Pipe; {
	case p != nil && p.streamed == o:
		err = p.stream.Close()
		p.stream = nil
	case p != nil:
		err = cmdline.WriteFile(env, o.Path, func(w io.Writer) error {
			return argspec.Save(w, o.Path, p.Spec.Type, p.shape(len(data)/p.Spec.Type.Size()), data)
		})
	default:
		spec := o.Spec()
		err = cmdline.WriteFile(env, o.Path, func(w io.Writer) error {
			if spec.Image != nil {
				return argspec.SaveImage(w, o.Path, spec.Image, data)
			}
			return argspec.Save(w, o.Path, spec.Type, spec.Shape, data)
		})
	}
	if err != nil {
		return fmt.Errorf("-out %s: %w", o.text, err)
	}
	return nil
}

// report prints what a run left behind, as text.
func (r *Run) report(env *cmdline.Env, res *outcome) error {
	if res.dropped > 0 {
		r.Note(env, "the kernel printed too much, %s of it were left out", cmdline.Counted(res.dropped, "byte"))
	}
	if len(res.Findings.Findings) > 0 {
		r.printFindings(env, &res.Findings)
	}
	ended := r.Ended(res)
	nothing := r.nothing(res)
	for _, text := range nothing {
		r.Note(env, "%s", text)
	}
	if text := ended.text(r); text != "" {
		fmt.Fprintln(env.Stderr, "lockstep: "+text)
	}
	if err := r.WriteOuts(env, ended.Outs(r)); err != nil {
		return err
	}
	zeros := uint64(0)
	for i, one := range res.launches {
		zeros += one.Counters.ZeroDivisions
		if v := one.Validation; v != nil && r.o.Verbose {
			fmt.Fprintf(env.Stderr, "%s %s\n", r.Launches[i].Label(), v)
		}
	}
	if zeros > 0 {
		fmt.Fprintf(env.Stderr, "lockstep: note: %s of integers by zero gave a value with all bits set; -check finds them\n", cmdline.Counted(zeros, "division"))
	}
	if r.o.stats.on && !r.o.stats.lines {
		r.printStats(env.Stderr, res)
	}
	if err := r.writeLines(env); err != nil {
		return err
	}
	if len(r.Outs) == 0 && !r.o.stats.on && !r.traces() && len(res.Findings.Findings) == 0 && len(nothing) == 0 {
		r.printHint(env)
	}
	if len(res.Findings.Findings) > 0 && !r.o.Quiet {
		fmt.Fprintln(env.Stderr, "lockstep: "+countFindings(&res.Findings))
	}
	for _, p := range res.Findings.Partial {
		fmt.Fprintln(env.Stderr, "lockstep: warning: "+p.Text())
	}
	if len(res.Findings.Findings) == 0 && len(nothing) == 0 && !r.o.Check && env.StderrTerminal {
		r.printUnseen(env)
	}
	return nil
}

// printUnseen says what a run that found nothing has not looked at. It is for people: only a terminal is told.
func (r *Run) printUnseen(env *cmdline.Env) {
	orders := "lockstep explore"
	if len(r.Stages()) > 1 {
		orders = "-schedule" // explore runs no kernels one after the other
	}
	r.Note(env, "not looked at: races and uninitialised values (-check), other orders (%s)", orders)
}

// WriteOuts prints and writes what -out asks for.
func (r *Run) WriteOuts(env *cmdline.Env, outs []*output) error {
	printed := len(r.Printed())
	for _, o := range outs {
		if err := o.data(func(data []byte) error {
			if o.Path == "-" && printed > 1 {
				fmt.Fprintln(env.Stdout, o.Called())
			}
			if o.Path == "-" && len(data) == 0 {
				r.Note(env, "%s: no packets", o.Called())
			}
			return o.save(env, data)
		}); err != nil {
			return err
		}
	}
	return nil
}

// Note prints a remark that -q leaves out.
func (r *Run) Note(env *cmdline.Env, format string, args ...any) {
	if !r.o.Quiet {
		fmt.Fprintf(env.Stderr, "lockstep: note: "+format+"\n", args...)
	}
}

// printFindings prints the findings, with -q each in one line.
func (r *Run) printFindings(env *cmdline.Env, list *finding.List) {
	if !r.o.Quiet {
		fmt.Fprint(env.Stderr, list.Format(finding.Style{Color: env.Colorful(r.o.Color), Verbose: r.o.Verbose}))
		return
	}
	for i := range list.Findings {
		fmt.Fprintln(env.Stderr, "lockstep: "+list.Findings[i].Summary())
	}
	if list.Omitted > 0 {
		fmt.Fprintf(env.Stderr, "lockstep: and %s\n", cmdline.Counted(list.Omitted, "more finding"))
	}
}

// countFindings is the last line about findings: how many there are, of which codes.
func countFindings(list *finding.List) string {
	errors, warnings := list.Omitted, 0
	var codes []string
	for i := range list.Findings {
		f := &list.Findings[i]
		if f.Severity == finding.Warning {
			warnings++
		} else {
			errors++
		}
		if !slices.Contains(codes, string(f.Code)) {
			codes = append(codes, string(f.Code))
		}
	}
	var counts []string
	if errors > 0 {
		counts = append(counts, cmdline.Counted(errors, "error"))
	}
	if warnings > 0 {
		counts = append(counts, cmdline.Counted(warnings, "warning"))
	}
	text := fmt.Sprintf("%s: %s", strings.Join(counts, " and "), strings.Join(codes, ", "))
	if len(codes) == 1 {
		return fmt.Sprintf("%s (`lockstep help %s` explains)", text, codes[0])
	}
	return text + " (`lockstep help CODE` explains)"
}

// printHint says how to see a result, where nothing was asked for and the
// kernels print nothing.
func (r *Run) printHint(env *cmdline.Env) {
	hint, where := "", ""
	for _, l := range r.Launches {
		if l.Kernel.Info().UsesPrintf {
			return
		}
		if h := l.hint(); h != "" && hint == "" {
			hint = h
			if len(r.Launches) > 1 {
				where = " for " + l.Label() + ","
			}
		}
	}
	if hint != "" {
		r.Note(env, "done; %s%s shows a result", hint, where)
	}
}

// printStats prints counters and times.
func (r *Run) printStats(w io.Writer, res *outcome) {
	lim := r.Dev.Limits()
	var total emu.Counters
	if len(r.Launches) == 1 {
		one := res.launches[0]
		fmt.Fprintf(w, "%s: %s of %s, waves of %d lanes, sub-groups of %d, engine %s\n", cmdline.Printable(r.Launches[0].Kernel.Name()),
			cmdline.Counted(one.Groups[0]*one.Groups[1]*one.Groups[2], "work-group"), cmdline.Dims(one.Local[:max(one.Dim, 1)]), one.WaveLanes, one.SubgroupSize, lim.Engine)
		total = one.Counters
	} else {
		how := " together"
		if n := len(r.Stages()); n > 1 {
			how = fmt.Sprintf(" in %d stages", n)
		}
		fmt.Fprintf(w, "%s%s, sub-groups of %s, engine %s\n", cmdline.Counted(len(r.Launches), "kernel"), how, r.subgroupSizes(), lim.Engine)
		r.printLaunches(w, res)
		for _, one := range res.launches {
			total.Add(&one.Counters)
		}
	}
	printPipes(w, res.pipes)
	printCounters(w, &total)
	s := res.duration.Seconds()
	fmt.Fprintf(w, "  %-16s %14.6f  s", "time", s)
	if s > 0 {
		fmt.Fprintf(w, ", %.4g lane operations a second", float64(total.LaneOps)/s)
	}
	fmt.Fprintln(w)
}

// printLaunches prints a table of kernels that ran together.
func (r *Run) printLaunches(w io.Writer, res *outcome) {
	rows := [][]string{{"launch", "kernel", "work-groups", "of", "waves", "instructions", "lane operations", "loads", "stores"}}
	for i, one := range res.launches {
		l := r.Launches[i]
		row := []string{fmt.Sprint(i), cmdline.Printable(l.Kernel.Name()), fmt.Sprint(one.GroupsRun), cmdline.Dims(one.Local[:max(one.Dim, 1)])}
		for _, n := range []uint64{one.Counters.Waves, one.Counters.Instructions, one.Counters.LaneOps, one.Counters.Loads, one.Counters.Stores} {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, row)
	}
	table(w, rows)
}

// printPipes prints a table of what became of pipes.
func printPipes(w io.Writer, pipes []emu.PipeUse) {
	if len(pipes) == 0 {
		return
	}
	rows := [][]string{{"pipe", "packet bytes", "capacity", "written", "by the host", "read", "by the host", "left", "reserved"}}
	for i := range pipes {
		p := &pipes[i]
		row := []string{cmdline.Printable(cmp.Or(p.Name, "(no name)")), fmt.Sprint(p.PacketBytes), fmt.Sprint(p.Capacity)}
		for _, n := range []uint64{p.Written, p.Fed, p.Read, p.Drained, p.Left, p.Held} {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, row)
	}
	table(w, rows)
}

// table prints rows of as many cells: numbers to the right, other texts to the left.
func table(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	right := make([]bool, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i, cell := range rows[len(rows)-1] {
		right[i] = strings.Trim(cell, "0123456789,") == ""
	}
	for _, row := range rows {
		line := " "
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if right[i] {
				line += " " + pad + cell
			} else {
				line += " " + cell + pad
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

func printCounters(w io.Writer, c *emu.Counters) {
	for _, line := range []struct {
		name string
		n    uint64
		what string
	}{
		{"waves", c.Waves, ""},
		{"instructions", c.Instructions, "one for a whole wave"},
		{"lane operations", c.LaneOps, ""},
		{"blocks", c.Blocks, "one for a whole wave"},
		{"barriers", c.Barriers, "one for a whole wave"},
		{"loads", c.Loads, "lanes"},
		{"stores", c.Stores, "lanes"},
		{"atomics", c.Atomics, "lanes"},
		{"divisions by 0", c.ZeroDivisions, "lanes"},
	} {
		fmt.Fprintf(w, "  %-16s %14d", line.name, line.n)
		if line.what != "" {
			fmt.Fprintf(w, "  %s", line.what)
		}
		fmt.Fprintln(w)
	}
}
