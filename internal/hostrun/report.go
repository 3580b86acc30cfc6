package hostrun

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/internal/jsondoc"
	"github.com/lockstep-gpu/lockstep/internal/words"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// report is what there is to say about a launch.
type report struct {
	o         *Options
	number    int
	kernel    string
	launch    *emu.Launch
	result    *emu.Result // nil where the launch did not start
	failure   error       // why not
	found     *emu.FindingsError
	findings  finding.List
	completed bool
	call      func() *Call // finds the place of the host's call
	recorded  string       // the file of arguments
	traced    string
	notes     []string
}

// Document is the JSON document of a launch of a host program.
type Document struct {
	Schema       int               `json:"schema"`
	Document     string            `json:"document"` // "launch"
	Number       int               `json:"number"`   // of the launch, from 1
	Kernel       string            `json:"kernel"`
	Engine       string            `json:"engine"` // which ran it
	Schedule     string            `json:"schedule"`
	Seed         uint64            `json:"seed"`
	Global       []uint64          `json:"global"`
	Local        []uint32          `json:"local"`
	Offset       []uint64          `json:"offset"`
	SubgroupSize int               `json:"subgroup_size"`
	WaveLanes    int               `json:"wave_lanes"`
	Completed    bool              `json:"completed"`
	Error        string            `json:"error,omitempty"`    // why the launch did not start
	Host         *Call             `json:"host,omitempty"`     // the call that launched it
	Recorded     string            `json:"recorded,omitempty"` // the file of arguments for lockstep run
	Timeline     string            `json:"timeline,omitempty"` // the file of -trace
	Findings     []finding.Finding `json:"findings"`
	Omitted      int               `json:"findings_omitted,omitempty"`
	Partial      []finding.Partial `json:"partial_checks,omitempty"` // that did not look at everything
	Notes        []string          `json:"notes,omitempty"`
	Counters     jsondoc.Counters  `json:"counters"`
	Timing       *Timing           `json:"timing,omitempty"` // with -stats
}

// Timing is how long a launch took.
type Timing struct {
	Seconds float64 `json:"seconds"`
}

// ended notes what became of the launch.
func (r *report) ended(res *emu.Result, err error) {
	r.result = res
	if err != nil && !errors.As(err, &r.found) {
		r.failure = err
	}
	if res == nil {
		return
	}
	r.findings = res.Findings
	r.findings.Findings = append([]finding.Finding(nil), res.Findings.Findings...)
	r.reproduce()
	r.completed = res.GroupsRun == res.Groups[0]*res.Groups[1]*res.Groups[2] && !res.Halted && contextError(r.found) == nil
}

// reproduce gives the findings the command that makes them happen again.
func (r *report) reproduce() {
	for i := range r.findings.Findings {
		f := &r.findings.Findings[i]
		if r.recorded != "" {
			f.Reproduce = words.Join([]string{"lockstep", "run", "@" + r.recorded})
			if r.o.Check {
				f.Reproduce += " -check"
			}
			continue
		}
		list := []string{"lockstep exec"}
		if f.Reproduce != "" {
			list = append(list, f.Reproduce)
		}
		f.Reproduce = strings.Join(append(list, fmt.Sprintf("-record DIR -- PROGRAM, then lockstep run @DIR/%d", r.number)), " ")
	}
}

// text is what people read; "" where there is nothing to say.
func (r *report) text(color bool) string {
	var b strings.Builder
	head := fmt.Sprintf("lockstep: launch %d, kernel %s", r.number, printable(r.kernel))
	if r.o.Quiet {
		for i := range r.findings.Findings {
			fmt.Fprintf(&b, "%s: %s\n", head, r.findings.Findings[i].Summary())
		}
		if r.findings.Omitted > 0 {
			fmt.Fprintf(&b, "%s: and %s\n", head, counted(r.findings.Omitted, "more finding", "more findings"))
		}
	} else if len(r.findings.Findings) > 0 {
		b.WriteString(r.findings.Format(finding.Style{Color: color}))
		fmt.Fprintf(&b, "%s: %s", head, counted(len(r.findings.Findings)+r.findings.Omitted, "finding", "findings"))
		if !r.completed {
			b.WriteString("; the launch did not run to its end, and its event has an error")
		}
		if call := r.call(); call != nil {
			b.WriteString("; launched by " + call.text())
		}
		b.WriteString("\n")
	}
	if r.failure != nil {
		fmt.Fprintf(&b, "%s: %s\n", head, printable(r.failure.Error()))
	}
	for _, p := range r.findings.Partial {
		fmt.Fprintf(&b, "%s: warning: %s\n", head, p.Text())
	}
	if !r.o.Quiet {
		for _, n := range r.notes {
			fmt.Fprintf(&b, "%s: note: %s\n", head, printable(n))
		}
	}
	if r.o.Stats && r.result != nil {
		r.stats(&b)
	}
	return b.String()
}

// stats prints counters and the time, in one line.
func (r *report) stats(b *strings.Builder) {
	res, c := r.result, r.counters()
	fmt.Fprintf(b, "lockstep: launch %d, kernel %s: global %v, local %v, engine %s: work-groups %d, waves %d, instructions %d, lane operations %d, barriers %d, loads %d, stores %d, atomics %d, divisions by 0 %d, %.6f s\n",
		r.number, printable(r.kernel), r.launch.Range.Global, res.Local[:max(res.Dim, 1)], r.engine(),
		c.WorkGroups, c.Waves, c.Instructions, c.LaneOps, c.Barriers, c.Loads, c.Stores, c.Atomics, c.ZeroDivisions, res.Duration.Seconds())
}

func (r *report) counters() jsondoc.Counters {
	if r.result == nil {
		return jsondoc.Counters{}
	}
	return jsondoc.NewCounters(r.result.GroupsRun, &r.result.Counters)
}

// engine is the name of the engine that ran the launch.
func (r *report) engine() string {
	if r.o.Check {
		return "interp"
	}
	return r.launch.Kernel.Engine()
}

// json is the document of the launch, in one line.
func (r *report) json() string {
	d := Document{
		Schema: 1, Document: "launch", Number: r.number, Kernel: r.kernel, Engine: r.engine(),
		Schedule: r.o.Schedule.Name(), Seed: r.o.Schedule.Seed,
		Global: r.launch.Range.Global, Offset: r.launch.Range.Offset, Local: []uint32{}, Completed: r.completed,
		Host: r.call(), Recorded: r.recorded, Timeline: r.traced, Notes: r.notes, Counters: r.counters(),
		Findings: append([]finding.Finding{}, r.findings.Findings...), Omitted: r.findings.Omitted, Partial: r.findings.Partial,
	}
	if d.Offset == nil {
		d.Offset = make([]uint64, len(d.Global))
	}
	if r.failure != nil {
		d.Error = r.failure.Error()
	}
	if res := r.result; res != nil {
		d.Local, d.SubgroupSize, d.WaveLanes = res.Local[:max(res.Dim, 1)], res.SubgroupSize, res.WaveLanes
		if r.o.Stats {
			d.Timing = &Timing{res.Duration.Seconds()}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(&d); err != nil {
		return fmt.Sprintf("lockstep: launch %d: %v\n", r.number, err)
	}
	return b.String()
}

// printable makes text that comes from a module or a host program harmless for terminals. Lines stay lines.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
