// Command compare runs the workloads of package bench on lockstep's engines and
// on every OpenCL implementation of this machine, and prints one table: the time
// of each kernel on each of them, how many times as fast lockstep is, and
// whether the results agree. Further tables have process starts and figures of
// lockstep alone. Each number that has a target says whether the target holds.
//
//	go run .                          everything
//	go run . -record                  everything, and write the repository's files
//	go run . -kernels 'saxpy|nbody'   only kernels whose name matches
//	go run . -sections kernels,cold   only these parts
//	go run . -sizes small -runs 3     a quick look
//	go run . -without 'Oclgrind|interp'   without the slow ones
//	go run . -base COMMIT             also against lockstep as it was there
//	go run . -json FILE -svg FILE -markdown FILE
//
// lockstep's engines are the native one, once for AVX-512 and once narrowed to
// AVX2, and the portable one. Other implementations are found through the
// system's OpenCL library; Oclgrind, which is not registered there, next to the
// command oclgrind. They get the kernels as source, lockstep gets the committed
// modules. Some kernels are there in C with AVX-512 intrinsics too (folder
// yardstick), which clang compiles when the command runs. What the machine does
// not have is left out, with a note.
//
// Time to build stands apart from kernel time, which is that of a whole call:
// launch and wait. Oclgrind gets smaller launches, and is compared by equal
// work. A cold start is a process from start to result: lockstep's command line
// with a module and with the source, against a small OpenCL program (folder
// host) with the source.
//
// The compiler of OpenCL C is held to lines a second and to memory, on a source
// of 100,000 lines that is made of kernels, and the kernels that it makes to
// those of clang -O2.
//
// Kernels that read and write images are compiled from one source on each implementation, and their times are
// held against PoCL's.
//
// The OpenCL driver is measured by a program in C (folder driver): launches,
// reads and writes, and the first result, beside PoCL; its kernels are held
// against those of the Go API.
//
// On a machine with at least four processors, each kernel is measured on one, on two and on all of them, beside
// PoCL.
//
// Launches with all checks on are held to the portable and the default engine
// without them, to Oclgrind with its checks, and to memory.
//
// The figures of lockstep alone hold its asynchronous copies against Go's copy,
// kernels that use them against one that does not, operations of sub-groups
// against an addition and, with -base, every kernel against an older commit,
// which needs git.
//
// Every implementation runs in a process of its own. Rounds are interleaved, a
// ratio is the median of the ratios of the rounds, and JSON has that of CPU time
// beside it, so that other work on the machine disturbs as little as possible;
// it is still best to have none.
//
// With -record the numbers go to bench/results, with a chart, the tables to
// bench/RESULTS.md, and a summary into the README between two lines that mark it.
// Other files in bench/results are records of other machines, which -json wrote
// there; their tables stand in bench/RESULTS.md behind those of the record, and
// go test -run TestRepository -update puts them there.
//
// The exit status is 0 when everything ran, whether targets hold or not; 1 when
// something could not be measured or results differ.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == "worker" {
		index, err := strconv.Atoi(os.Args[3])
		if err == nil {
			err = runWorker(os.Args[2], index)
		}
		exit(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	exit(err)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// comparison is one run of the command.
type comparison struct {
	sizes   string
	runs    int
	budget  time.Duration
	timeout time.Duration
	commit  string         // to compare with; "" for none
	without *regexp.Regexp // names of implementations that are left out; nil for none
	dir     string         // for files, removed at the end
	binary  string         // cmd/lockstep, when it has been built

	implementations []Implementation
	processes       []*process // of the implementations
	platforms       map[string]workerKind
	notes           []string // what is not measured, and why
}

// sections are the parts of a report, in order.
var sections = []string{"kernels", "cold", "source", "workers", "processors", "alone", "copies", "groups", "pipes", "images", "checks", "driver"}

// parseSections reads a list of them; "" is all.
func parseSections(list string) (map[string]bool, error) {
	chosen := map[string]bool{}
	if list == "" {
		list = strings.Join(sections, ",")
	}
	for name := range strings.SplitSeq(list, ",") {
		if !slices.Contains(sections, name) {
			return nil, fmt.Errorf("no section %q: there are %s", name, strings.Join(sections, ","))
		}
		chosen[name] = true
	}
	return chosen, nil
}

// choose gives the workloads whose name matches, without a pattern those that
// every implementation has.
func choose(pattern string) ([]*bench.Workload, error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	workloads, err := bench.Workloads()
	if err != nil {
		return nil, err
	}
	workloads = slices.DeleteFunc(workloads, func(w *bench.Workload) bool {
		return !match.MatchString(w.Name()) || pattern == "" && w.Set == bench.Subgroups
	})
	if len(workloads) == 0 {
		return nil, fmt.Errorf("no kernel matches %q", pattern)
	}
	return workloads, nil
}

func run(ctx context.Context) (err error) {
	c := &comparison{platforms: map[string]workerKind{}}
	pattern := flag.String("kernels", "", "run only kernels whose name matches this `REGEXP`")
	flag.StringVar(&c.sizes, "sizes", "default", "`SIZE` of the launches: small or default")
	flag.IntVar(&c.runs, "runs", 15, "number of interleaved `ROUNDS`")
	flag.DurationVar(&c.budget, "budget", 150*time.Millisecond, "repeat launches for `D` in each round")
	flag.DurationVar(&c.timeout, "timeout", 5*time.Minute, "give an implementation up when it is silent for `D`")
	grind := flag.String("oclgrind", "", "Oclgrind's OpenCL library; otherwise looked for next to the command oclgrind")
	without := flag.String("without", "", "leave out implementations whose name matches this `REGEXP`")
	list := flag.String("sections", "", "measure only these of "+strings.Join(sections, ",")+" (a `LIST` with commas)")
	flag.StringVar(&c.commit, "base", "", "measure the kernels against lockstep at `COMMIT` too")
	record := flag.Bool("record", false, "write the files of the repository: results, chart, RESULTS.md and README.md")
	jsonFile := flag.String("json", "", "write the numbers to `FILE` as JSON")
	markdownFile := flag.String("markdown", "", "write the tables to `FILE` as Markdown")
	chartFile := flag.String("svg", "", "write the chart to `FILE`")
	flag.Parse()
	if flag.NArg() > 0 || c.runs < 1 || c.sizes != "small" && c.sizes != "default" {
		return errors.New("wrong usage: see -help")
	}
	chosen, err := parseSections(*list)
	if err != nil {
		return err
	}
	if *without != "" {
		if c.without, err = regexp.Compile(*without); err != nil {
			return err
		}
	}
	workloads, err := choose(*pattern)
	if err != nil {
		return err
	}
	if c.dir, err = os.MkdirTemp("", "lockstep-compare-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.dir)) }()
	defer func() {
		for _, p := range c.processes {
			if cerr := p.close(); err == nil && p.failed == nil && ctx.Err() == nil {
				err = cerr
			}
		}
	}()
	if err := c.find(ctx, *grind); err != nil {
		return err
	}
	report := &Report{
		Date: time.Now().Format(time.DateOnly), Machine: thisMachine(), Command: commandLine(),
		Sizes: c.sizes, Rounds: c.runs, Implementations: c.implementations,
	}
	if err := c.fill(ctx, report, workloads, chosen); err != nil {
		return err
	}
	report.Notes = c.notes
	fmt.Print(report.Text())
	if *record {
		if err := report.record(ctx); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		name    string
		content func() ([]byte, error)
	}{
		{*jsonFile, report.JSON},
		{*markdownFile, func() ([]byte, error) { return []byte(report.Markdown()), nil }},
		{*chartFile, func() ([]byte, error) {
			if chart := report.SVG(); chart != nil {
				return chart, nil
			}
			return nil, errors.New("no chart without kernels on PoCL")
		}},
	} {
		if f.name == "" {
			continue
		}
		content, err := f.content()
		if err != nil {
			return err
		}
		if err := os.WriteFile(f.name, content, 0o666); err != nil {
			return err
		}
	}
	return report.failure()
}

// fill does the measurements, and says on standard error where it is.
func (c *comparison) fill(ctx context.Context, r *Report, workloads []*bench.Workload, chosen map[string]bool) error {
	if chosen["kernels"] {
		for _, w := range workloads {
			progress("%s on %d implementations", w.Name(), len(c.implementations))
			row, err := c.compareKernel(w)
			if err = errors.Join(ctx.Err(), err); err != nil {
				return err
			}
			r.Rows = append(r.Rows, row)
		}
		r.Figures = append(r.Figures, r.summary()...)
	}
	first := firstOnes(workloads)
	for _, part := range []struct {
		section, says string
		measure       func() ([]Figure, error)
	}{
		{"cold", "cold starts", func() ([]Figure, error) { return c.cold(ctx) }},
		{"source", "the compiler of OpenCL C", func() ([]Figure, error) { return c.source(ctx, workloads) }},
		{"workers", "one and two workers", func() ([]Figure, error) { return c.twoWorkers(ctx, first) }},
		{"processors", "many processors", func() ([]Figure, error) { return c.processors(ctx, workloads) }},
		{"alone", "scaling", single(c.scaling)},
		{"alone", "launch", single(c.launch)},
		{"alone", "process start", func() ([]Figure, error) { return c.start(ctx) }},
		{"copies", "asynchronous copies", c.copies},
		{"copies", "pipelined kernels", c.pipelines},
		{"groups", "operations of sub-groups", c.allGroups},
		{"pipes", "pipes", c.pipes},
		{"images", "images", c.images},
		{"checks", "all checks", func() ([]Figure, error) { return c.checks(ctx, first) }},
		{"driver", "the OpenCL driver", func() ([]Figure, error) { return c.driver(ctx, first) }},
		{"base", "kernels at " + c.commit, func() ([]Figure, error) { return c.base(ctx, c.commit, workloads) }},
	} {
		if !chosen[part.section] && (part.section != "base" || c.commit == "") {
			continue
		}
		progress("%s", part.says)
		figures, err := part.measure()
		if err = errors.Join(ctx.Err(), err); err != nil {
			return err
		}
		r.Figures = append(r.Figures, figures...)
	}
	return nil
}

// single makes one figure a list.
func single(measure func() (Figure, error)) func() ([]Figure, error) {
	return func() ([]Figure, error) {
		f, err := measure()
		return []Figure{f}, err
	}
}

// progress says on standard error what is being done.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "compare: "+format+"\n", args...)
}

// commandLine is how a person starts this run again; where the results were
// written does not belong to it.
func commandLine() string {
	words := []string{"go run ."}
	flag.Visit(func(f *flag.Flag) {
		if !slices.Contains([]string{"json", "markdown", "svg", "record"}, f.Name) {
			words = append(words, "-"+f.Name, quote(f.Value.String()))
		}
	})
	return strings.Join(words, " ")
}

// quote gives a word as a shell reads it.
func quote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-+="
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
