package launch

import (
	"encoding/json"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/internal/jsondoc"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// Report is the JSON document of `lockstep run`. Field names are stable.
// Everything but Timing, and Engine where that is left to lockstep, is the same at
// every run on every machine.
type Report struct {
	SubgroupSize int               `json:"subgroup_size"` // of kernels that do not require another one
	Schedule     string            `json:"schedule"`
	Seed         uint64            `json:"seed"`
	Completed    bool              `json:"completed"`
	Launches     []launchReport    `json:"launches"`
	Pipes        []PipeReport      `json:"pipes"`
	Outputs      []OutputReport    `json:"outputs"` // of all launches, in the order of the -out flags
	Printf       string            `json:"printf"`
	Dropped      uint64            `json:"printf_dropped,omitempty"`
	Findings     []finding.Finding `json:"findings"`
	Omitted      int               `json:"findings_omitted,omitempty"`
	Partial      []finding.Partial `json:"partial_checks,omitempty"` // that did not look at everything
	Counters     CountersReport    `json:"counters"`                 // the sum
	Explanation  string            `json:"explanation,omitempty"`    // the text of -explain
	Stats        *statsReport      `json:"stats,omitempty"`          // with -stats=lines
	Timing       *TimingReport     `json:"timing,omitempty"`         // with -stats alone
	Diagnostics  []clc.Diagnostic  `json:"diagnostics,omitempty"`    // of sources
}

// launchReport is one of the kernels.
type launchReport struct {
	Module       string         `json:"module"`
	Kernel       string         `json:"kernel"`
	Engine       string         `json:"engine"` // which ran it
	Global       []uint64       `json:"global"`
	Local        []uint32       `json:"local"`
	Offset       []uint64       `json:"offset"`
	SubgroupSize int            `json:"subgroup_size"`
	WaveLanes    int            `json:"wave_lanes"`
	Completed    bool           `json:"completed"`
	Findings     int            `json:"finding_count"` // how many of the findings are of this launch
	Counters     CountersReport `json:"counters"`
}

// OutputReport is an -out in the document of run.
type OutputReport struct {
	Launch   *int   `json:"launch,omitempty"`   // number of the kernel, where several run together
	Argument *int   `json:"argument,omitempty"` // number of the argument
	Shared   string `json:"shared,omitempty"`   // "pipe" or "buffer" where the -out is of a shared one
	Name     string `json:"name"`
	Type     string `json:"type"`
	Count    int    `json:"count"`
	Shape    []int  `json:"shape,omitempty"`
	Path     string `json:"path,omitempty"`
	// Values are numbers; "inf", "-inf" and "nan" are strings.
	Values json.RawMessage `json:"values,omitempty"`
}

// PipeReport is a pipe in the document of run.
type PipeReport struct {
	Name        string `json:"name"`
	PacketBytes int    `json:"packet_bytes"`
	Capacity    int    `json:"capacity"`
	Written     uint64 `json:"written"`
	Read        uint64 `json:"read"`
	Fed         uint64 `json:"written_by_host"`
	Drained     uint64 `json:"read_by_host"`
	Left        uint64 `json:"left"`
	Held        uint64 `json:"reserved"`
}

// CountersReport has the counters in the document of run.
type CountersReport = jsondoc.Counters

// TimingReport says how long kernels ran.
type TimingReport struct {
	Seconds float64 `json:"seconds"`
	Workers int     `json:"workers"`
}

// newLaunchReport is what a launch left behind.
func newLaunchReport(l *Launch, res *emu.Result) launchReport {
	doc := launchReport{
		Module: l.Part.Path, Kernel: l.Kernel.Name(), Engine: l.engine(), Global: l.Global, Local: res.Local[:max(res.Dim, 1)], Offset: l.Offset, SubgroupSize: res.SubgroupSize, WaveLanes: res.WaveLanes,
		Completed: res.GroupsRun == res.Groups[0]*res.Groups[1]*res.Groups[2] && !res.Findings.Failed(),
		Findings:  len(res.Findings.Findings) + res.Findings.Omitted, Counters: jsondoc.NewCounters(res.GroupsRun, &res.Counters),
	}
	if doc.Offset == nil {
		doc.Offset = make([]uint64, len(doc.Global))
	}
	return doc
}

// reportJSON prints what a run left behind as one document. Values of an -out
// to a file go to the file, those of one to "-" into the document.
func (r *Run) reportJSON(env *cmdline.Env, res *outcome) error {
	lim := r.Dev.Limits()
	set := Report{
		SubgroupSize: lim.SubgroupSize, Schedule: r.Schedule.Name(), Seed: r.Schedule.Seed, Completed: true,
		Pipes: []PipeReport{}, Outputs: []OutputReport{}, Printf: strings.ToValidUTF8(string(res.output), "\ufffd"), Dropped: res.dropped,
		Findings: append([]finding.Finding{}, res.Findings.Findings...), Omitted: res.Findings.Omitted, Partial: res.Findings.Partial, Explanation: r.explanation.String(),
	}
	for _, p := range res.pipes {
		set.Pipes = append(set.Pipes, PipeReport{p.Name, p.PacketBytes, p.Capacity, p.Written, p.Read, p.Fed, p.Drained, p.Left, p.Held})
	}
	var groups uint64
	var total emu.Counters
	for i, l := range res.launches {
		one := newLaunchReport(r.Launches[i], l)
		set.Completed = set.Completed && one.Completed
		set.Launches = append(set.Launches, one)
		groups += l.GroupsRun
		total.Add(&l.Counters)
	}
	set.Completed = set.Completed && len(res.launches) == len(r.Launches)
	set.Counters = jsondoc.NewCounters(groups, &total)
	for _, o := range r.Ended(res).Outs(r) {
		out, err := o.JSON(env)
		if err != nil {
			return err
		}
		set.Outputs = append(set.Outputs, out)
	}
	if r.o.stats.lines && r.trace != nil {
		set.Stats = newStatsReport(r.trace)
	}
	if r.o.stats.on && !r.o.stats.lines {
		set.Timing = &TimingReport{res.duration.Seconds(), lim.Workers}
	}
	set.Diagnostics = env.JSON.Diagnostics
	return env.WriteDocument("run", &set)
}

// engine returns the name of the engine that ran the launch.
func (l *Launch) engine() string {
	if l.run.o.Check {
		return "interp"
	}
	return l.Kernel.Engine()
}

// JSON is the -out in a document, after it was written where it goes to a file.
func (o *output) JSON(env *cmdline.Env) (out OutputReport, err error) {
	err = o.data(func(data []byte) error {
		out = o.describe(len(data))
		if o.Path == "-" {
			out.Values = argspec.AppendJSON(nil, o.Spec().Type, data)
			return nil
		}
		out.Path = o.Path
		return o.save(env, data)
	})
	return out, err
}

// describe is what a document says of the size bytes that the -out is about.
func (o *output) describe(size int) OutputReport {
	spec := o.Spec()
	out := OutputReport{Type: spec.Type.String(), Count: spec.Count, Shape: spec.Shape}
	if l := o.Launch; l != nil {
		out.Argument, out.Name = &o.Index, l.Kernel.Params()[o.Index].Name
		if len(l.run.Launches) > 1 {
			out.Launch = &l.number
		}
	} else {
		out.Name, out.Shared = o.shared.Name, o.shared.flag()
	}
	if p := o.Pipe; p != nil {
		if p.streamed == o {
			size = int(p.streamedBytes)
		}
		out.Count = size / spec.Type.Size()
		out.Shape = p.shape(out.Count)
	}
	return out
}
