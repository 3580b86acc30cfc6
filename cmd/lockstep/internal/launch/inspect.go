package launch

import (
	"bytes"
	"io"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/picture"
	"github.com/lockstep-gpu/lockstep/emu/trace"
)

// inspects says that somebody looks at the launches of the run.
func (r *Run) inspects(env *cmdline.Env) bool {
	return env.Inspect != nil && env.Inspect.Ran != nil
}

// traceOf returns the recorder of a stage; nil for none.
func (r *Run) traceOf(stage int) *trace.Recorder {
	if stage < len(r.stageTraces) {
		return r.stageTraces[stage]
	}
	return r.trace
}

// inspected shows what the kernels left behind to the inspector.
func (r *Run) inspected(env *cmdline.Env, res *outcome) {
	if env.Inspect == nil || env.Inspect.Ran == nil {
		return
	}
	ran := &cmdline.Ran{Findings: res.Findings, Diagnostics: env.JSON.Diagnostics, Pictures: map[string]string{}}
	for _, l := range r.Launches {
		ran.Launches = append(ran.Launches, l.Kernel.Name())
	}
	var b bytes.Buffer
	silent := *env
	silent.Stdout, silent.Stderr, silent.JSON = &b, io.Discard, &cmdline.JSONState{Diagnostics: env.JSON.Diagnostics}
	silent.Create = func(string) (io.WriteCloser, error) { return discard{}, nil }
	if err := r.reportJSON(&silent, res); err == nil {
		ran.Document = b.Bytes()
	}
	if len(r.stageTraces) > 0 {
		// A stage that did not begin has left its recorder as it was.
		stages := r.Stages()
		for n, i := 0, 0; i < len(stages) && n < len(res.launches); i++ {
			ran.Traces = append(ran.Traces, r.stageTraces[i])
			n += len(stages[i])
		}
	} else if r.trace != nil {
		ran.Traces = append(ran.Traces, r.trace)
	}
	if len(ran.Traces) > 0 {
		all := r.itemFigures(res)
		for _, rec := range ran.Traces {
			counts, _ := rec.Lines()
			all = append(all, picture.Figures(rec, counts)...)
		}
		for _, kind := range picture.Kinds {
			if list := picture.OfKind(all, kind, len(r.Launches)); len(list) > 0 {
				ran.Pictures[kind] = picture.New(list).SVG()
			}
		}
	}
	env.Inspect.Ran(ran)
}

// discard is a file that keeps nothing.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }
