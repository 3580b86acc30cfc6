package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// output is an -out.
type output struct {
	launch *launch // whose argument it names, and the number of that; or
	index  int
	shared *shared // which it names
	pipe   *pipe   // nil where either is no pipe
	text   string  // INDEX=PATH as given
	path   string
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
	case o.pipe != nil:
		var data []byte
		if data, err = o.pipe.contents(); err == nil {
			err = use(data)
		}
	case o.shared != nil:
		err = bufferBytes(o.shared.buffer, use)
	default:
		err = o.launch.args[o.index].bytes(use)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.called(), err)
	}
	return failed
}

// writing is about how many bytes of the host's memory the -out takes while it is written. What is in json is
// held as text, several times as it grows and gets its form.
func (o *output) writing(json bool) uint64 {
	n, copied := o.size()
	spec := o.spec()
	switch {
	case json && o.path == "-":
		const perValue, indent, copies = 8, 10, 4
		return n / uint64(spec.Type.Size()) * uint64(indent+perValue*min(spec.Type.Size(), 3)) * copies
	case spec.Image != nil && strings.EqualFold(filepath.Ext(o.path), ".png"):
		const most = 8 // bytes of a pixel
		return copied + uint64(spec.Image.Width)*uint64(spec.Image.Height)*uint64(spec.Image.Depth)*most
	}
	return copied
}

// size is how many bytes the -out is about, and how many of them are copied; it is not known of pipes that
// are drained.
func (o *output) size() (n, copied uint64) {
	switch {
	case o.pipe != nil && o.pipe.drains():
		return 0, 0
	case o.pipe != nil:
		n = uint64(o.pipe.spec.Pipe.PacketBytes) * uint64(o.pipe.spec.Pipe.Capacity)
		return n, n
	case o.shared != nil:
		return o.shared.buffer.Size(), 0
	}
	a := &o.launch.args[o.index]
	if a.image == nil {
		return a.buffer.Size(), 0
	}
	n = a.image.Size()
	return n, n
}

// spec describes what the -out is about.
func (o *output) spec() *argspec.Arg {
	switch {
	case o.pipe != nil:
		return o.pipe.spec
	case o.shared != nil:
		return o.shared.spec
	}
	return o.launch.args[o.index].spec
}

// called is a heading: "argument 2, global float* y", "pipe a".
func (o *output) called() string {
	if o.shared != nil {
		return o.shared.flag() + " " + o.shared.name
	}
	p := o.launch.kernel.Params()[o.index]
	s := fmt.Sprintf("argument %d, %s", o.index, paramText(&p))
	if len(o.launch.run.launches) > 1 {
		s = o.launch.label() + ", " + s
	}
	return s
}

// save writes data where the -out says, unless it is there already.
func (o *output) save(env *Env, data []byte) error {
	var err error
	switch p := o.pipe; {
	case p != nil && p.streamed == o:
		err = p.stream.Close()
		p.stream = nil
	case p != nil:
		err = writeFile(env, o.path, func(w io.Writer) error {
			return argspec.Save(w, o.path, p.spec.Type, p.shape(len(data)/p.spec.Type.Size()), data)
		})
	default:
		spec := o.spec()
		err = writeFile(env, o.path, func(w io.Writer) error {
			if spec.Image != nil {
				return argspec.SaveImage(w, o.path, spec.Image, data)
			}
			return argspec.Save(w, o.path, spec.Type, spec.Shape, data)
		})
	}
	if err != nil {
		return fmt.Errorf("-out %s: %w", o.text, err)
	}
	return nil
}

// report prints what a run left behind, as text.
func (r *run) report(env *Env, res *outcome) error {
	if res.dropped > 0 {
		r.note(env, "the kernel printed too much, %s of it were left out", counted(res.dropped, "byte"))
	}
	if len(res.findings.Findings) > 0 {
		r.printFindings(env, &res.findings)
	}
	ended := r.ended(res)
	nothing := r.nothing(res)
	for _, text := range nothing {
		r.note(env, "%s", text)
	}
	if text := ended.text(r); text != "" {
		fmt.Fprintln(env.Stderr, "lockstep: "+text)
	}
	if err := r.writeOuts(env, ended.outs(r)); err != nil {
		return err
	}
	zeros := uint64(0)
	for i, one := range res.launches {
		zeros += one.Counters.ZeroDivisions
		if v := one.Validation; v != nil && r.o.verbose {
			fmt.Fprintf(env.Stderr, "%s %s\n", r.launches[i].label(), v)
		}
	}
	if zeros > 0 {
		fmt.Fprintf(env.Stderr, "lockstep: note: %s of integers by zero gave a value with all bits set; -check finds them\n", counted(zeros, "division"))
	}
	if r.o.stats.on && !r.o.stats.lines {
		r.printStats(env.Stderr, res)
	}
	if err := r.writeLines(env); err != nil {
		return err
	}
	if len(r.outs) == 0 && !r.o.stats.on && !r.traces() && len(res.findings.Findings) == 0 && len(nothing) == 0 {
		r.printHint(env)
	}
	if len(res.findings.Findings) > 0 && !r.o.quiet {
		fmt.Fprintln(env.Stderr, "lockstep: "+countFindings(&res.findings))
	}
	for _, p := range res.findings.Partial {
		fmt.Fprintln(env.Stderr, "lockstep: warning: "+p.Text())
	}
	if len(res.findings.Findings) == 0 && len(nothing) == 0 && !r.o.check && env.StderrTerminal {
		r.printUnseen(env)
	}
	return nil
}

// printUnseen says what a run that found nothing has not looked at. It is for people: only a terminal is told.
func (r *run) printUnseen(env *Env) {
	orders := "lockstep explore"
	if len(r.stages()) > 1 {
		orders = "-schedule" // explore runs no kernels one after the other
	}
	r.note(env, "not looked at: races and uninitialised values (-check), other orders (%s)", orders)
}

// writeOuts prints and writes what -out asks for.
func (r *run) writeOuts(env *Env, outs []*output) error {
	printed := len(r.printed())
	for _, o := range outs {
		if err := o.data(func(data []byte) error {
			if o.path == "-" && printed > 1 {
				fmt.Fprintln(env.Stdout, o.called())
			}
			if o.path == "-" && len(data) == 0 {
				r.note(env, "%s: no packets", o.called())
			}
			return o.save(env, data)
		}); err != nil {
			return err
		}
	}
	return nil
}

// colorModes are the values of -color.
var colorModes = []string{"auto", "always", "never"}

// note prints a remark that -q leaves out.
func (r *run) note(env *Env, format string, args ...any) {
	if !r.o.quiet {
		fmt.Fprintf(env.Stderr, "lockstep: note: "+format+"\n", args...)
	}
}

// printFindings prints the findings, with -q each in one line.
func (r *run) printFindings(env *Env, list *finding.List) {
	if !r.o.quiet {
		fmt.Fprint(env.Stderr, list.Format(finding.Style{Color: env.colorful(r.o.color), Verbose: r.o.verbose}))
		return
	}
	for i := range list.Findings {
		fmt.Fprintln(env.Stderr, "lockstep: "+list.Findings[i].Summary())
	}
	if list.Omitted > 0 {
		fmt.Fprintf(env.Stderr, "lockstep: and %s\n", counted(list.Omitted, "more finding"))
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
		counts = append(counts, counted(errors, "error"))
	}
	if warnings > 0 {
		counts = append(counts, counted(warnings, "warning"))
	}
	text := fmt.Sprintf("%s: %s", strings.Join(counts, " and "), strings.Join(codes, ", "))
	if len(codes) == 1 {
		return fmt.Sprintf("%s (`lockstep help %s` explains)", text, codes[0])
	}
	return text + " (`lockstep help CODE` explains)"
}

// printHint says how to see a result, where nothing was asked for and the
// kernels print nothing.
func (r *run) printHint(env *Env) {
	hint, where := "", ""
	for _, l := range r.launches {
		if l.kernel.Info().UsesPrintf {
			return
		}
		if h := l.hint(); h != "" && hint == "" {
			hint = h
			if len(r.launches) > 1 {
				where = " for " + l.label() + ","
			}
		}
	}
	if hint != "" {
		r.note(env, "done; %s%s shows a result", hint, where)
	}
}

// printStats prints counters and times.
func (r *run) printStats(w io.Writer, res *outcome) {
	lim := r.dev.Limits()
	var total emu.Counters
	if len(r.launches) == 1 {
		one := res.launches[0]
		fmt.Fprintf(w, "%s: %s of %s, waves of %d lanes, sub-groups of %d, engine %s\n", printable(r.launches[0].kernel.Name()),
			counted(one.Groups[0]*one.Groups[1]*one.Groups[2], "work-group"), dims(one.Local[:max(one.Dim, 1)]), one.WaveLanes, one.SubgroupSize, lim.Engine)
		total = one.Counters
	} else {
		how := " together"
		if n := len(r.stages()); n > 1 {
			how = fmt.Sprintf(" in %d stages", n)
		}
		fmt.Fprintf(w, "%s%s, sub-groups of %s, engine %s\n", counted(len(r.launches), "kernel"), how, r.subgroupSizes(), lim.Engine)
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
func (r *run) printLaunches(w io.Writer, res *outcome) {
	rows := [][]string{{"launch", "kernel", "work-groups", "of", "waves", "instructions", "lane operations", "loads", "stores"}}
	for i, one := range res.launches {
		l := r.launches[i]
		row := []string{fmt.Sprint(i), printable(l.kernel.Name()), fmt.Sprint(one.GroupsRun), dims(one.Local[:max(one.Dim, 1)])}
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
		row := []string{printable(cmp.Or(p.Name, "(no name)")), fmt.Sprint(p.PacketBytes), fmt.Sprint(p.Capacity)}
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
