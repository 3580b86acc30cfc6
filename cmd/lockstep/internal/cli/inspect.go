package cli

import (
	"bytes"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// Inspector is a program that shows more of a launch than a command prints.
type Inspector struct {
	// Ran is called when the kernels of run have ended, behind the report. They run with recorders that count what
	// sub-groups do: one for all kernels, or, where -then has some run behind others, one for each stage.
	Ran func(*Ran)
	// Debug takes the session of debug, which then reads no commands. Debug closes it.
	Debug func(*Debugging)
}

// Ran is what kernels left behind.
type Ran struct {
	Document    []byte // of -json; nil where it cannot be made
	Findings    finding.List
	Diagnostics []clc.Diagnostic
	Traces      []*trace.Recorder // by stage, of those that ran; none where -choices forbids it
	// Pictures are the documents of -picture by kind.
	Pictures map[string]string
	Launches []string // names of the kernels, of all stages
}

// Debugging is a debug session that was prepared.
type Debugging struct {
	Session *debug.Session
	Kernel  *emu.Kernel
	Found   finding.List // by -check
	// Expect has breakpoints set where -check found something, and writes what it says about that.
	Expect func(w io.Writer)
	// WriteOuts writes what -out has for standard output, as it is now. No other file is written.
	WriteOuts func(w io.Writer) error
}

// inspects says that somebody looks at the launches of the run.
func (r *run) inspects(env *Env) bool {
	return env.Inspect != nil && env.Inspect.Ran != nil
}

// traceOf returns the recorder of a stage; nil for none.
func (r *run) traceOf(stage int) *trace.Recorder {
	if stage < len(r.stageTraces) {
		return r.stageTraces[stage]
	}
	return r.trace
}

// inspected shows what the kernels left behind to the inspector.
func (r *run) inspected(env *Env, res *outcome) {
	if env.Inspect == nil || env.Inspect.Ran == nil {
		return
	}
	ran := &Ran{Findings: res.findings, Diagnostics: env.json.diagnostics, Pictures: map[string]string{}}
	for _, l := range r.launches {
		ran.Launches = append(ran.Launches, l.kernel.Name())
	}
	var b bytes.Buffer
	silent := *env
	silent.Stdout, silent.Stderr, silent.json = &b, io.Discard, &jsonState{diagnostics: env.json.diagnostics}
	silent.Create = func(string) (io.WriteCloser, error) { return discard{}, nil }
	if err := r.reportJSON(&silent, res); err == nil {
		ran.Document = b.Bytes()
	}
	if len(r.stageTraces) > 0 {
		// A stage that did not begin has left its recorder as it was.
		stages := r.stages()
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
			all = append(all, figures(rec, counts)...)
		}
		for _, kind := range pictureKinds {
			if list := ofKind(all, kind, len(r.launches)); len(list) > 0 {
				ran.Pictures[kind] = newPicture(list).svg()
			}
		}
	}
	env.Inspect.Ran(ran)
}

// discard is a file that keeps nothing.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

// KernelForm is a kernel of a module, with what a command line for it begins with.
type KernelForm struct {
	Name                     string
	Params                   []ParamForm
	RequiredLocal, LocalHint []uint32
	RequiredSubgroup         uint32
}

// ParamForm is a parameter of a kernel.
type ParamForm struct {
	Name, Type string // Type is for people
	Kind       string // as in the document of info: "buffer", "value", "local" …
	Access     string
	Const      bool
	Bytes      uint64
	// Form is an argument to start from, with N, COUNT, V, HEX, BYTES, WIDTH and HEIGHT for what lockstep does not know; ""
	// where there is no argument for the parameter.
	Form string
	// Out says that -out can print it.
	Out bool
}

// Forms describes the kernels of a module for those who ask for arguments.
func Forms(data []byte) ([]KernelForm, error) {
	m := &module{data: data}
	info, sm, err := m.reflect()
	if err != nil {
		return nil, err
	}
	doc := newModuleInfo(m, info)
	doc.structures(sm)
	doc.pipes(m)
	var list []KernelForm
	for i, k := range doc.Kernels {
		form := KernelForm{Name: k.Name, RequiredLocal: k.LocalSize, LocalHint: k.LocalSizeHint, RequiredSubgroup: k.SubgroupSize}
		for j, a := range doc.args[i] {
			p := &k.Args[j]
			one := ParamForm{Name: p.Name, Type: strings.TrimSpace(strings.TrimSuffix(parameter(a), p.Name)), Kind: p.Kind, Access: p.Access, Const: p.Const, Bytes: p.Bytes}
			if p.PacketBytes > 0 {
				one.Bytes = uint64(p.PacketBytes)
			}
			switch {
			case a.Kind == spirv.ArgPipe:
				one.Form = p.pipeForm()
			case p.form != "":
				one.Form = p.form
			default:
				one.Form = argumentForm(a)
			}
			one.Out = a.Kind == spirv.ArgBuffer && a.AddressSpace != spirv.StorageClassUniformConstant
			form.Params = append(form.Params, one)
		}
		list = append(list, form)
	}
	return list, nil
}
