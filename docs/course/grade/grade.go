// Package grade judges kernels by the exercises of the course (package docs/course).
//
// A kernel is run with all checks, several times for each launch of the exercise: with sub-groups of several
// sizes and in several orders, so that one that is right by luck fails. The first run that goes wrong is
// described. A kernel that is right everywhere is run once more for each limit, and the counts that lockstep
// makes by line of the source are compared with what the exercise allows. No clock is read: a verdict is the
// same on every machine.
//
// The package says what is wrong and where, and never what to write instead.
package grade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/conformance/checks"
	"github.com/lockstep-gpu/lockstep/docs/course"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// timeout bounds one launch. A right one takes some milliseconds.
const timeout = 10 * time.Second

// schedules are the orders in which each launch is made. Copies complete early, late and at random in them.
var schedules = []struct {
	name string
	seed uint64
}{{"in-order", 0}, {"reverse+late", 0}, {"seeded", 1}}

// Result is what is said about one exercise. Field names of its JSON form are stable.
type Result struct {
	Exercise string         `json:"exercise"` // "4.2"
	Name     string         `json:"name"`
	Verdict  course.Verdict `json:"verdict"`
	Runs     int            `json:"runs"` // that were made
	// Command repeats the run that went wrong; Note says what is particular about it.
	Command string `json:"command,omitempty"`
	Note    string `json:"note,omitempty"`
	// Reason says why the kernel does not run.
	Reason      string            `json:"reason,omitempty"`
	Diagnostics []clc.Diagnostic  `json:"diagnostics,omitempty"`
	Differences []Difference      `json:"differences,omitempty"`
	Findings    []finding.Finding `json:"findings,omitempty"`
	Excesses    []Excess          `json:"excesses,omitempty"`
	Hint        *Hint             `json:"hint,omitempty"`

	log *clc.Log
}

// Difference is the first element of a buffer that is not what it should be.
type Difference struct {
	Argument string  `json:"argument"` // the name of the parameter
	Index    int     `json:"index"`
	Got      string  `json:"got"`
	Want     string  `json:"want"`
	Count    int     `json:"count"`    // how many elements differ
	Elements int     `json:"elements"` // of the buffer
	Inputs   []Input `json:"inputs,omitempty"`
	// Missing says that elements may stand in any order, and the one that Want is does not stand there often
	// enough.
	Missing bool `json:"missing,omitempty"`
}

// Input is the element of another buffer at the same index, before the run.
type Input struct {
	Argument string `json:"argument"`
	Value    string `json:"value"`
}

// Excess is a count that is beyond its limit.
type Excess struct {
	Count   course.Count `json:"count"`
	Value   uint64       `json:"value"`
	Most    *uint64      `json:"most,omitempty"`
	Least   *uint64      `json:"least,omitempty"`
	Line    uint32       `json:"line,omitempty"` // that adds most to it
	Source  string       `json:"source,omitempty"`
	Share   uint64       `json:"share,omitempty"` // of the line, in percent of the count
	Command string       `json:"command"`
}

// Hint is what helps.
type Hint struct {
	Text    string `json:"text"`
	Lesson  string `json:"lesson"` // the folder
	Section string `json:"section"`
}

// Source is a kernel to judge.
type Source struct {
	Name string // of the file, for messages
	Text string
}

// judge is a grading in progress.
type judge struct {
	*course.Exercise
	src Source
	res *Result
}

// Exercise judges a source by an exercise. The error says why lockstep could not judge it, other than for
// what the source is.
func Exercise(ctx context.Context, e *course.Exercise, src Source) (*Result, error) {
	j := &judge{e, src, &Result{Exercise: e.ID(), Name: e.Name, Verdict: course.Right}}
	err := j.correct(ctx)
	if err == nil && j.res.Verdict == course.Right {
		err = j.fast(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("exercise %s: %w", e.ID(), err)
	}
	if h := e.Hint(j.res.Verdict); h != nil && j.res.log == nil { // the compiler says what it wants by itself
		folder := e.Lesson.Folder
		if h.Lesson > 0 {
			folder = course.Lessons()[h.Lesson-1].Folder
		}
		j.res.Hint = &Hint{h.Text, folder, h.Section}
	}
	return j.res, nil
}

// Has says which of the kernels of an exercise a source lacks, going by its text; all of them if it has none.
func Has(e *course.Exercise, src Source) (lacks []string) {
	for _, k := range e.Kernels {
		if !mentions(src.Text, k) {
			lacks = append(lacks, k)
		}
	}
	return lacks
}

// mentions says whether a text has a word.
func mentions(text, word string) bool {
	letter := func(c byte) bool {
		return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(word)
		if (i == 0 || !letter(text[i-1])) && (end == len(text) || !letter(text[end])) {
			return true
		}
		at = end
	}
}

// cannot ends the grading of a source that does not run.
func (j *judge) cannot(format string, args ...any) error {
	j.res.Verdict, j.res.Reason = course.Unusable, fmt.Sprintf(format, args...)
	return nil
}

// device is a device with the program of the source.
type device struct {
	subgroup int
	dev      *emu.Device
	prog     *emu.Program
}

// close releases the device.
func (d *device) close() error { return d.dev.Close() }

// device makes a device; nil without an error is one for which the source cannot be compiled.
func (j *judge) device(ctx context.Context, subgroup int) (*device, error) {
	dev, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: subgroup, WaveLanes: subgroup, Workers: 1, Engine: "interp", Poison: 1, DMABytesPerStep: j.DMAStep})
	if err != nil {
		return nil, err
	}
	prog, log, err := dev.BuildProgramContext(ctx, clc.Source{Name: j.src.Name, Text: j.src.Text}, clc.Options{}, emu.ProgramOptions{})
	if err == nil {
		return &device{subgroup, dev, prog}, nil
	}
	if cerr := dev.Close(); cerr != nil {
		return nil, cerr
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	j.res.log, j.res.Diagnostics = &log, log.Diagnostics
	if errors.As(err, new(*clc.Error)) {
		return nil, j.cannot("the source does not compile")
	}
	return nil, j.cannot("%v", err)
}

// correct makes all runs with all checks, until one goes wrong.
func (j *judge) correct(ctx context.Context) error {
	subgroups := j.Subgroups
	if subgroups == nil {
		subgroups = []int{32, 4}
	}
	for i, size := range subgroups {
		d, err := j.device(ctx, size)
		if err != nil || d == nil {
			return err
		}
		err = j.onDevice(ctx, d, i == 0)
		if err := errors.Join(err, d.close()); err != nil || j.res.Verdict != course.Right {
			return err
		}
	}
	return nil
}

// onDevice makes all runs on a device. The first device is also asked for the kernels.
func (j *judge) onDevice(ctx context.Context, d *device, first bool) error {
	if first && !j.kernels(d) {
		return nil
	}
	for i := range j.Runs {
		for _, s := range schedules {
			schedule, err := emu.ParseSchedule(s.name, s.seed)
			if err != nil {
				return err
			}
			if err := j.run(ctx, d, i, schedule); err != nil || j.res.Verdict != course.Right {
				return err
			}
		}
	}
	return nil
}

// kernels says whether the program has the kernels of the exercise; the result says what is missing.
func (j *judge) kernels(d *device) bool {
	for _, name := range j.Kernels {
		if _, err := d.prog.Kernel(name); err != nil {
			if slices.Contains(d.prog.Kernels(), name) {
				_ = j.cannot("%v", err)
			} else {
				_ = j.cannot("%s has no kernel %s, which the exercise is about", j.src.Name, name)
			}
			return false
		}
	}
	return true
}

// run makes a run with checks.
func (j *judge) run(ctx context.Context, d *device, number int, s emu.Schedule) error {
	t, err := newTrial(&j.Runs[number])
	if err != nil {
		return err
	}
	j.res.Runs++
	out, err := t.RunWith(ctx, d.dev, d.prog, checks.Options{Schedule: s, Check: true, Timeout: timeout})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		// Arguments that do not fit the parameters, mostly: the kernel is not the one that is asked for.
		return j.cannot("%v", err)
	}
	t.name(d.prog)
	for _, w := range j.Want(t.args()) {
		diff, err := t.compare(&w, out)
		if err != nil {
			return err
		}
		if diff != nil {
			j.res.Differences = append(j.res.Differences, *diff)
		}
	}
	if j.Lesson.Number < racesFrom && len(j.res.Differences) > 0 {
		out.Findings = slices.DeleteFunc(out.Findings, func(f finding.Finding) bool { return f.Code == finding.Race })
	}
	j.res.Findings = harmless(out.Findings)
	switch {
	case len(j.res.Findings) > 0:
		j.res.Verdict = kind(out.Findings)
	case len(j.res.Differences) > 0:
		j.res.Verdict = course.Wrong
	default:
		return nil
	}
	j.res.Command, j.res.Note = j.command(number, d.subgroup, s)+" -check", j.Runs[number].Note
	if len(t.Steps) == 1 && len(t.Steps[0]) == 1 {
		for i := range j.res.Differences {
			j.res.Command += fmt.Sprintf(" -out %s=-", j.res.Differences[i].Argument)
		}
	}
	return nil
}

// racesFrom is the lesson that first speaks of races. In those before it, a wrong element is told in the
// place of a race.
const racesFrom = 3

// maxFindings is how many findings of a run are told.
const maxFindings = 3

// harmless are the first findings without what says the remedy: that is the exercise.
func harmless(list []finding.Finding) []finding.Finding {
	list = slices.Clone(list[:min(len(list), maxFindings)])
	for i := range list {
		list[i].Help, list[i].Reproduce = nil, ""
		list[i].Parties = slices.DeleteFunc(slices.Clone(list[i].Parties), func(p finding.Party) bool {
			return strings.HasPrefix(p.Does, "ordered by: ")
		})
	}
	return list
}

// raceCodes are the findings of accesses that nothing orders, by work-items or by copies.
var raceCodes = []finding.Code{finding.Race, finding.AsyncRace, finding.AsyncRead, finding.AsyncWrite, finding.AsyncNoWait}

// kind is the verdict that findings make: faults come before races, and these before what else is undefined.
func kind(list []finding.Finding) course.Verdict {
	v := course.Undefined
	for i := range list {
		d, _ := finding.Describe(list[i].Code)
		switch {
		case !d.Checked:
			return course.Fault
		case slices.Contains(raceCodes, list[i].Code):
			v = course.Racy
		}
	}
	return v
}

// command is the line that repeats a run.
func (j *judge) command(run, subgroup int, s emu.Schedule) string {
	text := fmt.Sprintf("lockstep run %s %s -subgroup %d -wave %d -poison 1", j.src.Name, j.Runs[run].Flags, subgroup, subgroup)
	if j.DMAStep > 0 {
		text += fmt.Sprintf(" -dma-step %d", j.DMAStep)
	}
	if flags := s.String(); flags != "" {
		text += " " + flags
	}
	return text
}
