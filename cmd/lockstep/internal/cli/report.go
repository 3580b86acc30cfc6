package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/emu/finding"
)

// report prints what a run left behind, as text.
func (r *run) report(env *Env, res *emu.Result) error {
	if res.OutputDropped > 0 {
		fmt.Fprintf(env.Stderr, "lockstep: note: the kernel printed too much, %s of it were left out\n", counted(res.OutputDropped, "byte"))
	}
	if len(res.Findings.Findings) > 0 {
		fmt.Fprint(env.Stderr, res.Findings.Text())
	}
	printed := 0
	for _, o := range r.outs {
		if o.path == "-" {
			printed++
		}
	}
	for _, o := range r.outs {
		data, err := r.args[o.index].bytes()
		if err != nil {
			return fmt.Errorf("argument %d: %w", o.index, err)
		}
		if o.path == "-" && printed > 1 {
			p := r.launch.Kernel.Params()[o.index]
			fmt.Fprintf(env.Stdout, "argument %d, %s\n", o.index, paramText(&p))
		}
		if err := r.save(env, o, data); err != nil {
			return err
		}
	}
	if r.o.stats {
		r.printStats(env.Stderr, res)
	}
	if len(r.outs) == 0 && !r.o.stats && r.launch.Trace == nil && len(res.Findings.Findings) == 0 && !r.launch.Kernel.Info().UsesPrintf {
		if hint := r.hint(); hint != "" {
			fmt.Fprintf(env.Stderr, "lockstep: note: done; %s shows a result\n", hint)
		}
	}
	return nil
}

// hint is an -out that shows a result, or "" for a kernel that has none.
func (r *run) hint() string {
	for i, p := range r.launch.Kernel.Params() {
		if a := &r.args[i]; a.buffer != nil && !p.ReadOnly || a.image != nil && p.Image.Writes {
			return fmt.Sprintf("-out %d=-", i)
		}
	}
	return ""
}

// save writes the contents of a buffer or image where an -out says.
func (r *run) save(env *Env, o output, data []byte) error {
	spec := r.args[o.index].spec
	err := writeFile(env, o.path, func(w io.Writer) error {
		if spec.Image != nil {
			return argspec.SaveImage(w, o.path, spec.Image, data)
		}
		return argspec.Save(w, o.path, spec.Type, spec.Shape, data)
	})
	if err != nil {
		return fmt.Errorf("-out %d=%s: %w", o.index, o.path, err)
	}
	return nil
}

func (r *run) printStats(w io.Writer, res *emu.Result) {
	c := &res.Counters
	groups := res.Groups[0] * res.Groups[1] * res.Groups[2]
	fmt.Fprintf(w, "%s: %s of %s, waves of %d lanes, sub-groups of %d, engine %s\n", printable(r.launch.Kernel.Name()),
		counted(groups, "work-group"), dims(res.Local[:max(res.Dim, 1)]), res.WaveLanes, r.dev.Limits().SubgroupSize, r.dev.Limits().Engine)
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
	} {
		fmt.Fprintf(w, "  %-16s %14d", line.name, line.n)
		if line.what != "" {
			fmt.Fprintf(w, "  %s", line.what)
		}
		fmt.Fprintln(w)
	}
	s := res.Duration.Seconds()
	fmt.Fprintf(w, "  %-16s %14.6f  s", "time", s)
	if s > 0 {
		fmt.Fprintf(w, ", %.4g lane operations a second", float64(c.LaneOps)/s)
	}
	fmt.Fprintln(w)
}

// runReport is the JSON document of `lockstep run`. Field names are stable.
// Everything but Timing is the same at every run on every machine.
type runReport struct {
	Module       string            `json:"module"`
	Kernel       string            `json:"kernel"`
	Global       []uint64          `json:"global"`
	Local        []uint32          `json:"local"`
	Offset       []uint64          `json:"offset"`
	Engine       string            `json:"engine"`
	SubgroupSize int               `json:"subgroup_size"`
	WaveLanes    int               `json:"wave_lanes"`
	Schedule     string            `json:"schedule"`
	Seed         uint64            `json:"seed"`
	Completed    bool              `json:"completed"` // every work-group ran to its end
	Outputs      []outputReport    `json:"outputs"`
	Printf       string            `json:"printf"`
	Dropped      uint64            `json:"printf_dropped,omitempty"`
	Findings     []finding.Finding `json:"findings"`
	Omitted      int               `json:"findings_omitted,omitempty"`
	Counters     countersReport    `json:"counters"`
	Timing       *timingReport     `json:"timing,omitempty"` // with -stats
}

type outputReport struct {
	Argument int    `json:"argument"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	Count    int    `json:"count"`
	Shape    []int  `json:"shape,omitempty"`
	Path     string `json:"path,omitempty"`
	// Values are numbers; "inf", "-inf" and "nan" are strings.
	Values json.RawMessage `json:"values,omitempty"`
}

type countersReport struct {
	WorkGroups   uint64 `json:"work_groups"`
	Waves        uint64 `json:"waves"`
	Instructions uint64 `json:"instructions"`
	LaneOps      uint64 `json:"lane_operations"`
	Blocks       uint64 `json:"blocks"`
	Barriers     uint64 `json:"barriers"`
	Loads        uint64 `json:"loads"`
	Stores       uint64 `json:"stores"`
	Atomics      uint64 `json:"atomics"`
}

type timingReport struct {
	Seconds float64 `json:"seconds"`
	Workers int     `json:"workers"`
}

// reportJSON prints what a run left behind as one document. Values of an -out
// to a file go to the file, those of one to "-" into the document.
func (r *run) reportJSON(env *Env, res *emu.Result) error {
	l := r.launch
	lim := r.dev.Limits()
	c := &res.Counters
	groups := res.Groups[0] * res.Groups[1] * res.Groups[2]
	doc := &runReport{
		Module: r.path, Kernel: l.Kernel.Name(),
		Global: l.Range.Global, Local: res.Local[:max(res.Dim, 1)], Offset: l.Range.Offset,
		Engine: lim.Engine, SubgroupSize: lim.SubgroupSize, WaveLanes: res.WaveLanes,
		Schedule: l.Schedule.Name(), Seed: l.Schedule.Seed,
		Completed: res.GroupsRun == groups && !res.Findings.Failed(),
		Outputs:   []outputReport{}, Printf: strings.ToValidUTF8(string(res.Output), "\ufffd"), Dropped: res.OutputDropped,
		Findings: append([]finding.Finding{}, res.Findings.Findings...), Omitted: res.Findings.Omitted,
		Counters: countersReport{res.GroupsRun, c.Waves, c.Instructions, c.LaneOps, c.Blocks, c.Barriers, c.Loads, c.Stores, c.Atomics},
	}
	if doc.Offset == nil {
		doc.Offset = make([]uint64, len(doc.Global))
	}
	params := l.Kernel.Params()
	for _, o := range r.outs {
		data, err := r.args[o.index].bytes()
		if err != nil {
			return fmt.Errorf("argument %d: %w", o.index, err)
		}
		spec := r.args[o.index].spec
		out := outputReport{Argument: o.index, Name: params[o.index].Name, Type: spec.Type.String(), Count: spec.Count, Shape: spec.Shape}
		if o.path == "-" {
			out.Values = argspec.AppendJSON(nil, spec.Type, data)
		} else {
			out.Path = o.path
			if err := r.save(env, o, data); err != nil {
				return err
			}
		}
		doc.Outputs = append(doc.Outputs, out)
	}
	if r.o.stats {
		doc.Timing = &timingReport{res.Duration.Seconds(), lim.Workers}
	}
	return writeJSON(env.Stdout, doc)
}
