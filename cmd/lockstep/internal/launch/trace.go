package launch

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/picture"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
)

// Explanations are the words that -explain takes.
var Explanations = []string{"async", "lanes", "memory", "pipes"}

// traces says whether flags ask for what a recorder writes.
func (r *Run) traces() bool {
	o := r.o
	return o.trace != "" || o.explain != "" || o.report != "" || o.stats.lines || len(o.pictures) > 0
}

// prepareTrace reads -trace and -explain, and makes sure before a long run that
// what they ask for can be written.
func (r *Run) prepareTrace(env *cmdline.Env) error {
	o := r.o
	if o.explain != "" && !slices.Contains(Explanations, o.explain) {
		msg := fmt.Sprintf("run: -explain %s: there is nothing of that name to explain", o.explain)
		if near := cmdline.Nearest(o.explain, Explanations); near != "" {
			msg += fmt.Sprintf("; did you mean %s?", near)
		} else {
			msg += "; there is " + strings.Join(Explanations, ", ")
		}
		return cmdline.Usagef("help trace", "%s", msg)
	}
	if o.traceLimit < 0 {
		return cmdline.Usagef("help trace", "run: -trace-limit %d: must be positive", o.traceLimit)
	}
	if o.trace == "" && o.explain == "" {
		if o.traceLimit != 0 {
			return cmdline.Usagef("help trace", "run: -trace-limit has a meaning with -trace and -explain only")
		}
		if o.report == "" && !o.stats.lines && len(o.pictures) == 0 && !r.inspects(env) {
			return nil
		}
	}
	if len(r.Stages()) > 1 && !r.traces() {
		for range r.Stages() {
			r.stageTraces = append(r.stageTraces, trace.New(trace.Options{Subgroups: true, MaxGroups: picture.PageGroups}))
		}
		return nil
	}
	if len(r.Stages()) > 1 {
		return cmdline.Usagef("help trace", "run: -trace, -explain, -report, -picture and -stats=lines show kernels that run together, and -then has others run behind them; leave one out")
	}
	switch o.trace {
	case "":
	case "-":
		// A trace among other output could not be read back.
		for _, out := range r.Printed() {
			return cmdline.Usagef("help trace", "run: -trace - and -out %s both want standard output; give one of them a file", out)
		}
		if o.JSON {
			return cmdline.Usagef("help trace", "run: -trace - and -json both want standard output; give the trace a file")
		}
	default:
		dir := filepath.Dir(o.trace)
		if info, err := env.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("-trace %s: there is no folder %s", o.trace, dir)
		}
	}
	opt := trace.Options{MaxEvents: o.traceLimit, Subgroups: o.explain == "memory" || o.explain == "lanes" || o.report != "" || len(o.pictures) > 0 || o.stats.lines || r.inspects(env)}
	if o.trace == "" && o.explain != "async" && o.explain != "pipes" {
		opt.MaxGroups = -1 // counts need no events of work-groups that are over
		if o.report != "" || len(o.pictures) > 0 || r.inspects(env) {
			opt.MaxGroups = picture.PageGroups
		}
	}
	r.trace = trace.New(opt)
	return nil
}

// Printed are the -out flags to standard output.
func (r *Run) Printed() []string {
	var list []string
	for _, o := range r.Outs {
		if o.Path == "-" {
			list = append(list, o.text)
		}
	}
	return list
}

// explained is where the text of -explain goes: into the document of -json, or where
// what the kernel prints goes.
func (r *Run) explained(env *cmdline.Env) io.Writer {
	if r.o.JSON {
		return &r.explanation
	}
	return env.Text(r.output(env))
}

// output is where what the kernel prints goes: standard output, unless a document
// has that for itself.
func (r *Run) output(env *cmdline.Env) io.Writer {
	if r.o.JSON || r.o.trace == "-" || r.o.sarif == "-" || r.o.report == "-" {
		return env.Stderr
	}
	return env.Stdout
}

// writeTrace writes what -trace and -explain ask for.
func (r *Run) writeTrace(env *cmdline.Env) error {
	rec := r.trace
	if rec == nil {
		return nil
	}
	if path := r.o.trace; path != "" {
		if err := cmdline.WriteFile(env, path, rec.WriteChrome); err != nil {
			return fmt.Errorf("-trace %s: %w", path, err)
		}
	}
	opt := trace.TextOptions{Width: pictureWidth(env.Columns)}
	switch r.o.explain {
	case "pipes":
		if err := rec.WritePipes(r.explained(env), opt); err != nil {
			return err
		}
	case "memory":
		if err := rec.WriteMemory(r.explained(env), opt); err != nil {
			return err
		}
	case "lanes":
		if err := rec.WriteLanes(r.explained(env), opt); err != nil {
			return err
		}
	case "async":
		if err := rec.WriteText(r.explained(env), opt); err != nil {
			return err
		}
		if rec.Transfers() > 0 && r.Schedule.Completion == emu.CompleteEarly {
			r.Note(env, "copies complete as soon as they are issued in this schedule; -schedule paced shows them move, late and seeded how late they may come")
		}
	}
	if rec.Truncated() && rec.SubgroupTracer() == nil {
		r.Note(env, "the trace has the first %s only; -trace-limit N raises that", cmdline.Counted(rec.Events(), "event"))
	}
	return nil
}

// pictureWidth is how wide the picture of a trace is on a terminal of so many
// columns, 0 where that is not known.
func pictureWidth(columns int) int {
	if columns <= 0 {
		return 80
	}
	return min(columns, 120)
}
