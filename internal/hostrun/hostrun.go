// Package hostrun holds the options of the launches that an OpenCL host program makes on lockstep's OpenCL driver. They
// are flags of `lockstep run` in an environment variable, which `lockstep exec` sets for the program that it starts
// and which a person may set without it. The driver reads them once, shapes its device by them, and applies the
// others to each launch.
//
// A [Session] runs the launches of a program with them: it reports findings, counts, records launches for lockstep run,
// and writes digests of what they leave behind. Data comes from [Parse] and goes to package emu.
package hostrun

import (
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/internal/words"
)

// The environment variables of a host program.
const (
	// Variable has the flags, as words that package words takes apart.
	Variable = "LOCKSTEP_OPTIONS"
	// TallyVariable names a file that the driver appends a line to for each finding: see [Tally].
	TallyVariable = "LOCKSTEP_TALLY"
)

// Options are the options of all launches of a host program.
type Options struct {
	Device emu.DeviceOptions

	Schedule                 emu.Schedule
	Parallel                 emu.Parallel
	Memory                   emu.MemoryModel
	Check, Benign, KeepGoing bool
	Timeout                  time.Duration // of each launch; 0 is none

	Stats bool // counters of each launch
	JSON  bool // a JSON document of each launch, one a line
	Quiet bool // one line for each finding
	// Log is the file that the driver's words are appended to, and "" standard error.
	Log string
	// Trace and Record are folders for timelines and for launches as cases, Digests a file for the digests of
	// what launches leave behind. "" is none.
	Trace, Record, Digests string
	// Stop is a socket: before each launch, which it records, the driver tells who listens there, and waits for an
	// answer. "" is none. Without Record launches are recorded beside the socket, in a folder whose name ends in .d.
	Stop string
}

// texts are flags whose text becomes an option when all are read.
type texts struct {
	schedule, parallel, memory string
	seed                       uint64
}

// declare declares the flags. Their help is that of the command line.
func (o *Options) declare(f *flag.FlagSet, t *texts) {
	d := &o.Device
	f.IntVar(&d.SubgroupSize, "subgroup", 0, "")
	f.IntVar(&d.WaveLanes, "wave", 0, "")
	f.IntVar(&d.Workers, "workers", 0, "")
	f.IntVar(&d.DMAEngines, "dma-engines", 0, "")
	f.IntVar(&d.DMAQueueDepth, "dma-queue", 0, "")
	f.IntVar(&d.DMABytesPerStep, "dma-step", 0, "")
	f.Uint64Var(&d.Poison, "poison", 0, "")
	f.StringVar(&d.Engine, "engine", "auto", "")
	f.Uint64Var(&d.LocalMemory, "lds", 0, "")
	f.StringVar(&t.schedule, "schedule", "in-order", "")
	f.Uint64Var(&t.seed, "seed", 0, "")
	f.StringVar(&t.parallel, "parallel", "auto", "")
	f.StringVar(&t.memory, "memory", "sequential", "")
	f.BoolVar(&o.Check, "check", false, "")
	f.BoolVar(&o.Benign, "benign", false, "")
	f.BoolVar(&o.KeepGoing, "keep-going", false, "")
	f.DurationVar(&o.Timeout, "timeout", 0, "")
	f.BoolVar(&o.Stats, "stats", false, "")
	f.BoolVar(&o.JSON, "json", false, "")
	f.BoolVar(&o.Quiet, "q", false, "")
	f.StringVar(&o.Log, "log", "", "")
	f.StringVar(&o.Trace, "trace", "", "")
	f.StringVar(&o.Record, "record", "", "")
	f.StringVar(&o.Digests, "digests", "", "")
	f.StringVar(&o.Stop, "stop", "", "")
}

// Records says whether launches are recorded before they run.
func (o *Options) Records() bool { return o.Record != "" || o.Stop != "" }

// folder returns the folder for records.
func (o *Options) folder() string {
	if o.Record == "" {
		return o.Stop + ".d"
	}
	return o.Record
}

// Names returns the names of the flags that Parse takes, in order.
func Names() []string {
	var names []string
	f := flag.NewFlagSet("", flag.ContinueOnError)
	new(Options).declare(f, new(texts))
	f.VisitAll(func(fl *flag.Flag) { names = append(names, fl.Name) })
	return names
}

// Parse reads options; text may be empty. Errors name the flag.
func Parse(text string) (*Options, error) {
	list, _, err := words.Split(text)
	if err != nil {
		return nil, err
	}
	args := make([]string, len(list))
	for i, w := range list {
		args[i] = w.Text
	}
	o, t := &Options{}, &texts{}
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	o.declare(f, t)
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%q is no flag", f.Arg(0))
	}
	if err := o.resolve(t); err != nil {
		return nil, err
	}
	return o, nil
}

// resolve turns texts into options.
func (o *Options) resolve(t *texts) (err error) {
	if o.Schedule, err = emu.ParseSchedule(t.schedule, t.seed); err != nil {
		return fmt.Errorf("-schedule: %w", err)
	}
	if t.seed != 0 && !o.Schedule.UsesSeed() {
		return fmt.Errorf("-seed %d has a meaning with schedules that have seeded in them only", t.seed)
	}
	if o.Memory, err = emu.ParseMemoryModel(t.memory); err != nil {
		return fmt.Errorf("-memory: %w", err)
	}
	if o.Timeout < 0 {
		return fmt.Errorf("-timeout %v: a duration is not negative", o.Timeout)
	}
	switch t.parallel {
	case "auto":
		o.Parallel = emu.ParallelAuto
	case "never":
		o.Parallel = emu.ParallelNever
	case "always":
		o.Parallel = emu.ParallelAlways
	default:
		return fmt.Errorf("-parallel %s: it takes auto, never or always", t.parallel)
	}
	return nil
}

// Launch gives a launch the options.
func (o *Options) Launch(l *emu.Launch) {
	l.Schedule, l.Parallel, l.Memory, l.Timeout = o.Schedule, o.Parallel, o.Memory, o.Timeout
	l.Check, l.Benign, l.KeepGoing = o.Check, o.Benign, o.KeepGoing
}

// Set gives the launches of a set the options. -parallel, -memory and -timeout are for kernels that run alone.
func (o *Options) Set(s *emu.Set) {
	s.Schedule, s.Check, s.Benign, s.KeepGoing = o.Schedule, o.Check, o.Benign, o.KeepGoing
}
