// Package debugger is the terminal interface of lockstep debug: commands in the manner of gdb and Delve over
// a session of emu/debug. It reads lines and writes plain text, one statement a line, which scripts and
// screen readers can follow. It knows no terminal: who calls it brings the lines.
package debugger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Console carries out commands.
type Console struct {
	Session *debug.Session
	Out     io.Writer
	// Source returns a source file, by the name that the module has for it.
	Source func(name string) ([]byte, error)
	// Found is whether something went wrong in the launch so far.
	Found bool
	// Detached is whether a person wants to see no further launch.
	Detached bool
	// Printed is how many bytes of the kernel's output were shown.
	Printed int

	displays []display
	numbers  int
	sources  map[string][]string
	listed   int    // the line that list showed last
	listFile string // and its file
	last     string // command, for an empty line
}

// display is an expression that is shown at each stop.
type display struct {
	number int
	expr   string
}

// command is a command of the console.
type command struct {
	names []string // the first is the full one
	args  string
	short string
	long  string
	run   func(c *Console, ctx context.Context, args string) error
	again bool // an empty line repeats it
	moves bool // it lets the launch run
	// words completes the argument; nil completes nothing.
	words func(c *Console) []string
}

// errQuit ends the console.
var errQuit = errors.New("quit")

// usage is a command that makes no sense.
type usage struct{ text string }

func (u *usage) Error() string { return u.text }

func usagef(format string, args ...any) error { return &usage{fmt.Sprintf(format, args...)} }

func (c *Console) printf(format string, args ...any) { fmt.Fprintf(c.Out, format, args...) }

// Begin says where the launch is when the console begins.
func (c *Console) Begin() {
	c.sources = map[string][]string{}
	l := c.Session.Launch()
	_, all := c.Session.Groups()
	if c.Session.Several() {
		c.infoKernels()
		c.printf("`help` lists commands\n")
		c.where()
		return
	}
	c.printf("kernel %s: %s of %s; `help` lists commands\n", l.Kernel.Name, counted(int(all), "work-group"), counted(c.groupSize(), "work-item"))
	c.where()
}

// Expect sets breakpoints where something was found in another run of the launch.
func (c *Console) Expect(list finding.List) {
	if len(list.Findings) == 0 {
		c.printf("the checks found nothing\n")
	}
	for i := range list.Findings {
		f := &list.Findings[i]
		c.printf("%s\n", f.Summary())
		c.expect(&f.Place, f.WorkItem)
		for j := range f.Parties {
			if p := &f.Parties[j]; p.WorkItem != nil {
				c.expect(&p.Place, p.WorkItem)
			}
		}
	}
}

// expect sets a breakpoint for a work-item at a place, unless there is one.
func (c *Console) expect(p *finding.Place, item *finding.WorkItem) {
	if p.Line == 0 {
		return
	}
	same := func(b *debug.Breakpoint) bool {
		return b.Line == int(p.Line) && (b.Item == nil) == (item == nil) && (item == nil || *b.Item == item.Global)
	}
	if slices.ContainsFunc(c.Session.Breakpoints(), same) {
		return
	}
	b, err := c.Session.BreakLine(p.File, int(p.Line))
	if err != nil {
		c.printf("%v\n", err)
		return
	}
	if item != nil {
		id := item.Global
		b.Item = &id
	}
	c.printf("breakpoint %d at %s\n", b.Number, c.breakText(b))
}

// groupSize returns the number of work-items of a whole work-group.
func (c *Console) groupSize() int {
	l := c.Session.Launch().Local
	return int(l[0]) * int(l[1]) * int(l[2])
}

// Do carries out a command line, and says whether the console ends. An error is a command that could not be
// carried out.
func (c *Console) Do(ctx context.Context, line string) (quit bool, err error) {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return false, nil
	}
	if line == "" {
		if line = c.last; line == "" {
			return false, nil
		}
	}
	name, args := split(line)
	cmd, err := find(name)
	if err != nil {
		return false, err
	}
	if c.last = ""; cmd.again {
		c.last = line
	}
	err = cmd.run(c, ctx, args)
	if errors.Is(err, errQuit) {
		return true, nil
	}
	return false, err
}

// split takes a command line apart: the name, and what is behind it.
func split(line string) (name, args string) {
	if i := strings.IndexFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '/' }); i >= 0 {
		return line[:i], strings.TrimLeft(line[i:], " \t")
	}
	return line, ""
}

// Knows says whether a line begins with the name of a command, or with the beginning of one.
func (c *Console) Knows(line string) bool {
	name, _ := split(strings.TrimSpace(line))
	_, err := find(name)
	return err == nil
}

// Sets says whether a command line changes variables, memory or registers.
func (c *Console) Sets(line string) bool {
	name, _ := split(strings.TrimSpace(line))
	cmd, err := find(name)
	return err == nil && cmd.names[0] == "set"
}

// Moves says whether a command line lets the launch run.
func (c *Console) Moves(line string) bool {
	name, args := split(strings.TrimSpace(line))
	cmd, err := find(name)
	return err == nil && cmd.moves && (cmd.names[0] != "group" || args != "")
}

// find returns the command of a name or of the beginning of one.
func find(name string) (*command, error) {
	var starts []*command
	for _, cmd := range commands() {
		for i, n := range cmd.names {
			if n == name {
				return cmd, nil
			}
			if i == 0 && strings.HasPrefix(n, name) {
				starts = append(starts, cmd)
			}
		}
	}
	switch len(starts) {
	case 1:
		return starts[0], nil
	case 0:
		return nil, usagef("there is no command %q; `help` lists them", name)
	}
	var names []string
	for _, cmd := range starts {
		names = append(names, cmd.names[0])
	}
	return nil, usagef("%q may be %s", name, strings.Join(names, ", "))
}

// Complete returns the words that may stand at the end of a line, each as the whole line.
func (c *Console) Complete(line string) (list []string) {
	name, args, more := strings.Cut(strings.TrimLeft(line, " "), " ")
	if !more {
		for _, cmd := range commands() {
			if strings.HasPrefix(cmd.names[0], name) {
				list = append(list, cmd.names[0]+" ")
			}
		}
		return list
	}
	cmd, err := find(name)
	if err != nil || cmd.words == nil {
		return nil
	}
	at := strings.LastIndexAny(args, " (*&+-") + 1
	for _, w := range cmd.words(c) {
		if strings.HasPrefix(w, args[at:]) {
			list = append(list, name+" "+args[:at]+w)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// lines returns a source by lines, or nil.
func (c *Console) lines(file string) []string {
	if l, ok := c.sources[file]; ok {
		return l
	}
	var list []string
	if text, err := c.Source(file); err == nil {
		list = strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	}
	c.sources[file] = list
	return list
}

// stopped says why and where the launch has stopped.
func (c *Console) stopped(stop debug.Stop, err error) error {
	if err != nil {
		return err
	}
	c.output()
	for i := range stop.Findings {
		c.Found = true
		list := finding.List{Findings: stop.Findings[i : i+1]}
		c.printf("%s", list.Format(finding.Style{}))
	}
	switch stop.Reason {
	case debug.ReasonEnded:
		over, all := c.Session.Groups()
		if err := c.Session.Failed(); err != nil {
			c.printf("%v\n", err)
		}
		c.printf("the launch has ended: %d of %s, tick %d\n", over, counted(int(all), "work-group"), stop.Tick)
		return nil
	case debug.ReasonBreakpoint:
		c.printf("breakpoint %s", numbers(stop.Breakpoints))
		for _, n := range stop.Breakpoints {
			if b, err := c.Session.Breakpoint(n); err == nil && b.Wrong != nil {
				c.printf(" (its condition has %v)", b.Wrong)
				b.Wrong = nil
			}
		}
		c.printf("\n")
	case debug.ReasonWatchpoint:
		for _, h := range stop.Watches {
			c.printf("watchpoint %d: %s\n", h.Number, c.written(h))
		}
	case debug.ReasonFinding:
		c.printf("stopped at the finding; everything is as it was\n")
	case debug.ReasonItemEnded:
		c.printf("the work-item or wave that was stepped has ended\n")
	case debug.ReasonPaused:
		c.printf("interrupted\n")
	case debug.ReasonBegin:
		c.printf("the beginning of the launch\n")
	}
	c.where()
	return nil
}

// Written says what an access to watched memory did, in a line.
func (c *Console) Written(h debug.WatchHit) string {
	return fmt.Sprintf("watchpoint %d: %s", h.Number, c.written(h))
}

// written says what an access to watched memory did.
func (c *Console) written(h debug.WatchHit) string {
	s := c.Session
	if p := h.Packets; p != nil {
		what := c.Moved(h)
		if p.Launch >= 0 {
			what += " at " + c.placeIn(p.Launch, h.PC)
		}
		return what
	}
	name := ""
	for _, w := range s.Watchpoints() {
		if w.Number == h.Number {
			name = w.Text
		}
	}
	text := func(p []byte) string {
		if p == nil {
			return "nothing"
		}
		return s.Text(debug.Value{Type: h.Type, Bytes: p}, 8)
	}
	it := s.Item(h.Item)
	what := fmt.Sprintf("%s was %s and is %s", name, text(h.Old), text(h.New))
	if string(h.Old) == string(h.New) {
		what = fmt.Sprintf("%s is %s, as it was", name, text(h.New))
	}
	by := "work-item " + c.id(it.Global)
	if s.Several() {
		by += " of kernel " + s.Label(s.CurrentLaunch())
	}
	if h.Items > 1 {
		by += fmt.Sprintf(" and %d more", h.Items-1)
	}
	return fmt.Sprintf("%s, by %s at %s", what, by, place(s.PlaceOf(h.PC)))
}

// output shows what work-items have printed since the last time.
func (c *Console) output() {
	out := c.Session.Output()
	if len(out) < c.Printed {
		c.Printed = len(out) // on the way back
	}
	if fresh := out[c.Printed:]; len(fresh) > 0 {
		c.printf("%s", fresh)
		if fresh[len(fresh)-1] != '\n' {
			c.printf("\n")
		}
	}
	c.Printed = len(out)
}

// id returns an id in the dimensions of the launch.
func (c *Console) id(id [3]uint64) string {
	dim := max(c.Session.Dim(), 1)
	var list []string
	for _, x := range id[:dim] {
		list = append(list, fmt.Sprint(x))
	}
	return "(" + strings.Join(list, ",") + ")"
}

func place(p debug.Place) string {
	if p.Line == 0 {
		return "an unknown line"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// where says who is looked at, and shows the line.
func (c *Console) where() {
	s := c.Session
	it, ok := s.Current()
	if !ok {
		c.printf("no work-group runs\n")
		return
	}
	if s.Several() {
		c.printf("kernel %s, ", s.Label(s.CurrentLaunch()))
	}
	c.printf("work-item %s, local %s, group %s, wave %d lane %d, tick %d\n", c.id(it.Global), c.id(it.Local), c.id(it.Group), it.Wave, it.Lane, s.Tick())
	frames := s.Frames()
	if len(frames) == 0 {
		c.printf("the work-item has ended\n")
		return
	}
	f := frames[min(s.Frame(), len(frames)-1)]
	c.printf("%s at %s\n", f.Function, placeOf(f.Place))
	if f.Place.Line > 0 {
		c.line(f.Place.File, f.Place.Line, "")
		c.listed, c.listFile = f.Place.Line, f.Place.File
	}
	for _, d := range c.displays {
		c.show(d.expr, "")
	}
}

// placeOf returns a place, without a column where it has none.
func placeOf(p debug.Place) string {
	switch {
	case p.Line == 0:
		return "an unknown line"
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return place(p)
}

// line shows a line of the source.
func (c *Console) line(file string, n int, mark string) bool {
	lines := c.lines(file)
	if n < 1 || n > len(lines) {
		return false
	}
	text := strings.ReplaceAll(strings.TrimRight(lines[n-1], " \t"), "\t", "    ")
	c.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-2s%-5d%s", mark, n, text), " "))
	return true
}

func numbers(list []int) string {
	var texts []string
	for _, n := range list {
		texts = append(texts, fmt.Sprint(n))
	}
	return strings.Join(texts, ", ")
}

// counted returns a number with a noun: "1 wave", "2 waves".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
