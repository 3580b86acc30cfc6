package debugger

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/debug"
)

// commands are the commands, in the order of help.
func commands() []*command { return table }

var table []*command

func init() {
	table = []*command{
		{names: []string{"break", "b"}, args: "[PLACE] [if CONDITION]", short: "set a breakpoint",
			long: "PLACE is LINE, FILE:LINE, FUNCTION or *INSTRUCTION; without one it is the present line. Where several kernels run,\nit means all that have the place, and KERNEL:LINE or KERNEL:FUNCTION one of them. `item X,Y,Z` behind\nit means one work-item, by its global id, and `group X,Y,Z` one work-group. A wave stops once each time it comes\nthere, if any of its active lanes is meant and fulfils the condition, an expression of OpenCL C.",
			run:  func(c *Console, _ context.Context, a string) error { return c.breakAt(a, false) }, words: (*Console).places},
		{names: []string{"tbreak", "tb"}, args: "[PLACE] [if CONDITION]", short: "set a breakpoint that goes when it is hit",
			run: func(c *Console, _ context.Context, a string) error { return c.breakAt(a, true) }, words: (*Console).places},
		{names: []string{"condition"}, args: "N [EXPRESSION]", short: "give breakpoint N a condition, or take it away", run: (*Console).condition, words: (*Console).names},
		{names: []string{"ignore"}, args: "N COUNT", short: "let the next COUNT hits of breakpoint N pass", run: (*Console).ignore},
		{names: []string{"watch"}, args: "EXPRESSION", short: "stop behind writes to what EXPRESSION names, whoever writes",
			long: "A variable is that of the work-item that is looked at.\nThe name of a pipe stops behind reads and writes of its packets, also by the host; rwatch stops behind reads only.\nPackets of a reservation are read or written when it is committed.",
			run:  watcher(debug.WatchWrite), words: (*Console).names},
		{names: []string{"rwatch"}, args: "EXPRESSION", short: "stop behind reads of global or local memory", run: watcher(debug.WatchRead), words: (*Console).names},
		{names: []string{"awatch"}, args: "EXPRESSION", short: "stop behind reads and writes of global or local memory", run: watcher(debug.WatchReadWrite), words: (*Console).names},
		{names: []string{"delete", "d"}, args: "[N …]", short: "remove breakpoints and watchpoints, or all of them", run: (*Console).remove},
		{names: []string{"enable"}, args: "[N …]", short: "let breakpoints and watchpoints stop again", run: enabler(true)},
		{names: []string{"disable"}, args: "[N …]", short: "let breakpoints and watchpoints pass", run: enabler(false)},

		{names: []string{"run", "r"}, moves: true, short: "begin again, and go on to the first stop", run: func(c *Console, ctx context.Context, _ string) error {
			if c.Session.Tick() > 0 || c.Session.Ended() {
				if _, err := c.Session.GoTo(ctx, 0); err != nil {
					return err
				}
				c.Printed = 0
			}
			return c.stopped(c.Session.Continue(ctx))
		}},
		{names: []string{"continue", "c"}, moves: true, short: "go on to the next stop", again: true, run: func(c *Console, ctx context.Context, _ string) error {
			return c.stopped(c.Session.Continue(ctx))
		}},
		stepper("next", "n", "go to the next line; functions that are called run to their end", debug.StepOver, debug.Lines, false),
		stepper("step", "s", "go to the next line, also in functions that are called", debug.StepInto, debug.Lines, false),
		stepper("finish", "fin", "go on until the function has returned", debug.StepOut, debug.Lines, false),
		stepper("stepi", "si", "go to the next instruction of the bytecode", debug.StepInto, debug.Instructions, false),
		stepper("nexti", "ni", "the same; functions that are called run to their end", debug.StepOver, debug.Instructions, false),
		{names: []string{"until", "advance"}, moves: true, args: "PLACE", short: "go on until this work-item is at PLACE", run: (*Console).until, words: (*Console).places},
		{names: []string{"reverse-continue", "rc"}, moves: true, short: "go back to where a breakpoint or watchpoint was hit last", again: true, run: func(c *Console, ctx context.Context, _ string) error {
			return c.stopped(c.Session.ReverseContinue(ctx))
		}},
		stepper("reverse-next", "rn", "go back to the line before, past functions that were called", debug.StepOver, debug.Lines, true),
		stepper("reverse-step", "rs", "go back to the line before", debug.StepInto, debug.Lines, true),
		stepper("reverse-finish", "rfin", "go back to before the call of the function", debug.StepOut, debug.Lines, true),
		stepper("reverse-stepi", "rsi", "go back by an instruction", debug.StepInto, debug.Instructions, true),
		{names: []string{"goto"}, moves: true, args: "TICK", short: "go to a time, backwards or forwards", run: (*Console).goTo},

		{names: []string{"item"}, args: "[X,Y,Z]", short: "look at a work-item of the work-group that runs, by its global id", run: (*Console).item},
		{names: []string{"lane"}, args: "N", short: "look at a lane of the wave", run: (*Console).lane},
		{names: []string{"wave", "thread"}, args: "[N]", short: "look at a wave of the work-group, or list them", run: (*Console).wave},
		{names: []string{"group"}, moves: true, args: "[X,Y,Z]", short: "go on until a work-group begins, or say which runs", run: (*Console).group},
		{names: []string{"kernel"}, args: "[NAME [group X,Y,Z]]", short: "look at a kernel that runs beside others, or list them",
			long: "NAME is as `info kernels` has it: the name of a kernel, with #1 and so on where several launches are of it, or the\nnumber of the launch. Of several work-groups in progress, `group X,Y,Z` means one.",
			run:  (*Console).kernel, words: (*Console).labels},
		{names: []string{"frame", "f"}, args: "[N]", short: "look at a function around the place, by its number in bt", run: (*Console).selectFrame},
		{names: []string{"up"}, short: "look at the function that called this one", run: func(c *Console, _ context.Context, _ string) error { return c.moveFrame(1) }},
		{names: []string{"down"}, short: "look at the function that this one called", run: func(c *Console, _ context.Context, _ string) error { return c.moveFrame(-1) }},

		{names: []string{"print", "p"}, args: "[/x] EXPRESSION", short: "show the value of an expression of OpenCL C",
			long: "$pc, $tick, $item, $lane and $wave, and registers such as $vw0 or $s1, are part of expressions. /x is hexadecimal.",
			run:  func(c *Console, _ context.Context, a string) error { return c.print(a) }, words: (*Console).names},
		{names: []string{"display"}, args: "[EXPRESSION]", short: "show an expression at each stop, or list them", run: (*Console).addDisplay, words: (*Console).names},
		{names: []string{"undisplay"}, args: "[N]", short: "show it no longer", run: (*Console).undisplay},
		{names: []string{"all"}, args: "EXPRESSION", short: "show an expression for all work-items of the work-group, as a grid",
			long: "Values that differ from that of most work-items have a * behind them. A - stands for work-items that have no value.",
			run:  func(c *Console, _ context.Context, a string) error { return c.grid(a) }, words: (*Console).names},
		{names: []string{"ptype"}, args: "EXPRESSION or TYPE", short: "show a type, with what typedefs stand for, members and enumerators",
			run: func(c *Console, _ context.Context, a string) error { return c.ptype(a, true) }, words: (*Console).names},
		{names: []string{"whatis"}, args: "EXPRESSION or TYPE", short: "show a type by its name",
			run: func(c *Console, _ context.Context, a string) error { return c.ptype(a, false) }, words: (*Console).names},
		{names: []string{"x"}, args: "[/COUNT[FORMAT]] POINTER", short: "show memory as a table; FORMAT is d, u, x, f, c or b with a size 1, 2, 4 or 8",
			run: func(c *Console, _ context.Context, a string) error { return c.examine(a) }, words: (*Console).names},
		{names: []string{"set"}, args: "EXPRESSION = EXPRESSION", short: "change a variable, memory or a register", run: (*Console).set, words: (*Console).names},
		{names: []string{"backtrace", "bt"}, short: "show the functions around the place", run: (*Console).backtrace},
		{names: []string{"list", "l"}, args: "[PLACE]", short: "show the source around the place", again: true, run: (*Console).list, words: (*Console).places},
		{names: []string{"disas"}, args: "[FROM [COUNT]]", short: "show the bytecode around the place", run: (*Console).disas},
		{names: []string{"info", "i"}, args: "SUBJECT", short: "show what there is",
			long: "SUBJECT is breakpoints, locals, args, lds, globals, registers, lanes, waves, barriers, copies, groups, kernels,\npipes, buffers, functions, files, checkpoints, output, findings or display.",
			run:  func(c *Console, _ context.Context, a string) error { return c.info(a) }, words: func(*Console) []string { return subjectNames() }},
		{names: []string{"help", "h"}, args: "[COMMAND]", short: "list the commands, or explain one", run: (*Console).help, words: func(*Console) []string {
			var names []string
			for _, cmd := range table {
				names = append(names, cmd.names[0])
			}
			return names
		}},
		{names: []string{"detach"}, short: "end; a program of lockstep exec -debug runs on without more stops", run: func(c *Console, _ context.Context, _ string) error {
			c.Detached = true
			return errQuit
		}},
		{names: []string{"quit", "q", "exit"}, short: "end; the launch ends where it is", run: func(*Console, context.Context, string) error { return errQuit }},
	}
}

// help lists the commands, or explains one.
func (c *Console) help(_ context.Context, name string) error {
	if name != "" {
		cmd, err := find(name)
		if err != nil {
			return err
		}
		c.printf("%s\n%s\n", strings.TrimSpace(strings.Join(cmd.names, ", ")+" "+cmd.args), cmd.short)
		if cmd.long != "" {
			c.printf("%s\n", cmd.long)
		}
		return nil
	}
	for _, cmd := range table {
		c.printf("%-36s %s\n", strings.TrimSpace(strings.Join(cmd.names, ", ")+" "+cmd.args), cmd.short)
	}
	c.printf("The beginning of a name will do. An empty line repeats a step. A # begins a comment.\n")
	return nil
}

// places are the words of places: functions.
func (c *Console) places() []string { return c.Session.Functions() }

// names are the variables that can be named.
func (c *Console) names() (list []string) {
	it, ok := c.Session.Current()
	if !ok {
		return nil
	}
	for _, v := range c.Session.Variables(it.Number, c.Session.Frame()) {
		list = append(list, v.Name)
	}
	return list
}

// stepper makes a command that steps.
func stepper(name, short, what string, kind debug.StepKind, unit debug.Unit, back bool) *command {
	return &command{names: []string{name, short}, args: "[lane|wave|group] [COUNT]", short: what, again: true, moves: true,
		long: "Lane, the work-item that is looked at, steps unless something else is said; wave is all of its wave, and\ngroup all waves of the work-group.",
		run: func(c *Console, ctx context.Context, args string) error {
			who, count := debug.Lane, 1
			for _, w := range strings.Fields(args) {
				n, err := strconv.Atoi(w)
				switch {
				case w == "lane" || w == "item":
					who = debug.Lane
				case w == "wave":
					who = debug.Wave
				case w == "group":
					who = debug.Group
				case err == nil && n > 0:
					count = n
				default:
					return usagef("%s takes lane, wave or group, and a count, not %q", name, w)
				}
			}
			stop, err := debug.Stop{}, error(nil)
			for range count {
				if back {
					stop, err = c.Session.ReverseStep(ctx, kind, unit, who)
				} else {
					stop, err = c.Session.Step(ctx, kind, unit, who)
				}
				if err != nil || stop.Reason != debug.ReasonStep {
					break
				}
			}
			return c.stopped(stop, err)
		}}
}

// breakpoint sets a breakpoint at a place.
func (c *Console) breakpoint(text string) (*debug.Breakpoint, error) {
	s := c.Session
	switch {
	case text == "":
		it, ok := s.Current()
		if !ok || it.PC < 0 {
			return nil, usagef("there is no present line: name one")
		}
		if p := s.PlaceOf(it.PC); p.Line > 0 {
			return s.BreakLine(p.File, p.Line)
		}
		return s.BreakInstruction(it.PC)
	case text[0] == '*':
		pc, err := strconv.Atoi(text[1:])
		if err != nil {
			return nil, usagef("%s is no number of an instruction", text[1:])
		}
		return s.BreakInstruction(pc)
	}
	if n, err := strconv.Atoi(text); err == nil {
		return s.BreakLine("", n)
	}
	if i := strings.LastIndexByte(text, ':'); i > 0 {
		launch, wrong := s.FindLaunch(text[:i])
		if n, err := strconv.Atoi(text[i+1:]); err == nil {
			if wrong == nil {
				return s.BreakLineIn(&launch, "", n)
			}
			return s.BreakLine(text[:i], n)
		}
		if wrong == nil {
			return s.BreakFunctionIn(&launch, text[i+1:])
		}
	}
	return s.BreakFunction(text)
}

// ids reads X,Y,Z.
func ids(text string) (id [3]uint64, err error) {
	parts := strings.Split(strings.Trim(text, "()"), ",")
	if len(parts) > 3 {
		return id, usagef("%q has more than three dimensions", text)
	}
	for i, p := range parts {
		if id[i], err = strconv.ParseUint(strings.TrimSpace(p), 10, 64); err != nil {
			return id, usagef("%q is no id such as 3 or 3,0,1", text)
		}
	}
	return id, nil
}

func (c *Console) breakAt(args string, temporary bool) error {
	where, cond := args, ""
	if i := strings.Index(" "+args+" ", " if "); i >= 0 {
		where, cond = strings.TrimSpace(args[:max(i-1, 0)]), strings.TrimSpace(args[min(i+2, len(args)):])
		if cond == "" {
			return usagef("the condition is missing")
		}
	}
	var item, group *[3]uint64
	words := strings.Fields(where)
	for len(words) >= 2 && (words[len(words)-2] == "item" || words[len(words)-2] == "group") {
		id, err := ids(words[len(words)-1])
		if err != nil {
			return err
		}
		if words[len(words)-2] == "item" {
			item = &id
		} else {
			group = &id
		}
		words = words[:len(words)-2]
	}
	b, err := c.breakpoint(strings.Join(words, " "))
	if err != nil {
		return err
	}
	b.Item, b.Group, b.Temporary = item, group, temporary
	if err := c.Session.SetCondition(b, cond); err != nil {
		_ = c.Session.Delete(b.Number)
		return err
	}
	c.printf("breakpoint %d at %s\n", b.Number, c.breakText(b))
	return nil
}

// breakText describes a breakpoint.
func (c *Console) breakText(b *debug.Breakpoint) string {
	text := fmt.Sprintf("%s:%d", b.File, b.Line)
	if b.Line == 0 {
		text = fmt.Sprintf("instruction %d", b.PCs[0])
	}
	if b.Function != "" {
		text = b.Function + ", " + text
	}
	switch {
	case b.Launch != nil:
		text += ", kernel " + c.Session.Label(*b.Launch)
	case len(b.Kernels) > 0:
		text += ", in " + strings.Join(b.Kernels, ", ")
	}
	if len(b.PCs) > 1 {
		text += fmt.Sprintf(", in %d places", len(b.PCs))
	}
	if b.Item != nil {
		text += ", work-item " + c.id(*b.Item)
	}
	if b.Group != nil {
		text += ", group " + c.id(*b.Group)
	}
	if b.Condition != "" {
		text += ", if " + b.Condition
	}
	if b.Temporary {
		text += ", once"
	}
	return text
}

// number reads the number of a breakpoint, and what is behind it.
func (c *Console) number(args string) (*debug.Breakpoint, string, error) {
	word, rest, _ := strings.Cut(args, " ")
	n, err := strconv.Atoi(word)
	if err != nil {
		return nil, "", usagef("%q is no number of a breakpoint", word)
	}
	b, err := c.Session.Breakpoint(n)
	return b, strings.TrimSpace(rest), err
}

func (c *Console) condition(_ context.Context, args string) error {
	b, rest, err := c.number(args)
	if err != nil {
		return err
	}
	if err := c.Session.SetCondition(b, rest); err != nil {
		return err
	}
	c.printf("breakpoint %d at %s\n", b.Number, c.breakText(b))
	return nil
}

func (c *Console) ignore(_ context.Context, args string) error {
	b, rest, err := c.number(args)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(rest, 10, 64)
	if err != nil {
		return usagef("%q is no number of hits", rest)
	}
	b.Ignore = b.Hits + n
	c.printf("the next %s of breakpoint %d will pass\n", counted(int(n), "hit"), b.Number)
	return nil
}

func watcher(kind debug.WatchKind) func(*Console, context.Context, string) error {
	return func(c *Console, _ context.Context, args string) error {
		if args == "" {
			return usagef("name what to watch")
		}
		if p, ok := c.pipe(args); ok {
			if kind == debug.WatchWrite {
				kind = debug.WatchReadWrite
			}
			w, err := c.Session.WatchPipe(p, kind)
			if err != nil {
				return err
			}
			c.printf("watchpoint %d: pipe %s of %s\n", w.Number, w.Text, w.Type)
			return nil
		}
		w, err := c.Session.Watch(args, kind)
		if err != nil {
			return err
		}
		c.printf("watchpoint %d: %s, %s\n", w.Number, w.Text, w.Type)
		return nil
	}
}

func (c *Console) remove(_ context.Context, args string) error {
	if args == "" {
		for _, b := range c.Session.Breakpoints() {
			_ = c.Session.Delete(b.Number)
		}
		for _, w := range c.Session.Watchpoints() {
			_ = c.Session.Delete(w.Number)
		}
		return nil
	}
	for _, w := range strings.Fields(args) {
		n, err := strconv.Atoi(w)
		if err != nil {
			return usagef("%q is no number", w)
		}
		if err := c.Session.Delete(n); err != nil {
			return err
		}
	}
	return nil
}

func enabler(on bool) func(*Console, context.Context, string) error {
	return func(c *Console, _ context.Context, args string) error {
		found := 0
		wanted := strings.Fields(args)
		is := func(n int) bool {
			if len(wanted) == 0 {
				return true
			}
			for _, w := range wanted {
				if w == strconv.Itoa(n) {
					found++
					return true
				}
			}
			return false
		}
		for _, b := range c.Session.Breakpoints() {
			if is(b.Number) {
				b.Enabled = on
			}
		}
		for _, w := range c.Session.Watchpoints() {
			if is(w.Number) {
				w.Enabled = on
			}
		}
		if found < len(wanted) {
			return debug.ErrNoBreakpoint
		}
		return nil
	}
}

// until goes on until the work-item is at a place.
func (c *Console) until(ctx context.Context, args string) error {
	it, ok := c.Session.Current()
	if !ok {
		return debug.ErrEnded
	}
	b, err := c.breakpoint(args)
	if err != nil {
		return err
	}
	b.Item = &it.Global
	return c.goOnTo(ctx, b)
}

// goOnTo goes on to a breakpoint that a command has set for itself, of which nobody else is told, or to an
// earlier stop.
func (c *Console) goOnTo(ctx context.Context, b *debug.Breakpoint) error {
	b.Temporary = true
	stop, err := c.Session.Continue(ctx)
	_ = c.Session.Delete(b.Number)
	stop.Breakpoints = slices.DeleteFunc(slices.Clone(stop.Breakpoints), func(n int) bool { return n == b.Number })
	if stop.Reason == debug.ReasonBreakpoint && len(stop.Breakpoints) == 0 {
		stop.Reason = debug.ReasonStep
	}
	return c.stopped(stop, err)
}

func (c *Console) goTo(ctx context.Context, args string) error {
	n, err := strconv.ParseUint(args, 10, 64)
	if err != nil {
		return usagef("%q is no tick", args)
	}
	return c.stopped(c.Session.GoTo(ctx, n))
}
