// Command compare runs the workloads of package bench on lockstep and on every
// OpenCL implementation of this machine, and prints one table: the time of each
// kernel on each implementation, how many times as fast lockstep is, and
// whether the results agree; below it stand the figures of lockstep alone. Each
// number that has a target says whether the target holds.
//
//	go run .                          every kernel, every implementation
//	go run . -kernels 'saxpy|nbody'   only kernels whose name matches
//	go run . -sizes small -runs 3     a quick look
//	go run . -base COMMIT             also against lockstep as it was there
//	go run . -json FILE -markdown ../RESULTS.md
//
// Implementations are found through the system's OpenCL library; Oclgrind,
// which is not registered there, next to the command oclgrind. Others get the
// kernels as source, lockstep gets the committed modules. Time to build stands
// apart from kernel time, which is that of a whole call: launch and wait.
//
// The figures of lockstep alone hold its asynchronous copies against Go's copy,
// kernels that use them against one that does not and, with -base, every kernel
// against an older commit, which needs git.
//
// Every implementation runs in a process of its own. Rounds are interleaved, a
// ratio is the median of the ratios of the rounds, and the ratio of CPU time
// stands beside it, so that other work on the machine disturbs as little as
// possible; it is still best to have none.
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
	"os/exec"
	"os/signal"
	"path/filepath"
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

// oclgrind is the name of the platform that the targets are about.
const oclgrind = "Oclgrind"

// comparison is one run of the command.
type comparison struct {
	sizes   string
	runs    int
	budget  time.Duration
	timeout time.Duration
	commit  string // to compare with; "" for none

	implementations []Implementation
	processes       []*process // of the implementations; lockstep is the first
}

func run(ctx context.Context) (err error) {
	c := &comparison{}
	pattern := flag.String("kernels", "", "run only kernels whose name matches this `REGEXP`")
	flag.StringVar(&c.sizes, "sizes", "default", "`SIZE` of the launches: small or default")
	flag.IntVar(&c.runs, "runs", 5, "number of interleaved `ROUNDS`")
	flag.DurationVar(&c.budget, "budget", 200*time.Millisecond, "repeat launches for `D` in each round")
	flag.DurationVar(&c.timeout, "timeout", 5*time.Minute, "give an implementation up when it is silent for `D`")
	grind := flag.String("oclgrind", "", "Oclgrind's OpenCL library; otherwise looked for next to the command oclgrind")
	alone := flag.Bool("figures", true, "measure the figures of lockstep alone too")
	flag.StringVar(&c.commit, "base", "", "with the figures, measure the kernels against lockstep at `COMMIT` too")
	jsonFile := flag.String("json", "", "write the numbers to `FILE` as JSON")
	markdownFile := flag.String("markdown", "", "write the table to `FILE` as Markdown")
	flag.Parse()
	if flag.NArg() > 0 || c.runs < 1 || c.sizes != "small" && c.sizes != "default" {
		return errors.New("wrong usage: see -help")
	}
	match, err := regexp.Compile(*pattern)
	if err != nil {
		return err
	}
	workloads, err := bench.Workloads()
	if err != nil {
		return err
	}
	workloads = slices.DeleteFunc(workloads, func(w *bench.Workload) bool { return !match.MatchString(w.Name()) })
	if len(workloads) == 0 {
		return fmt.Errorf("no kernel matches %q", *pattern)
	}
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
	if err := c.fill(ctx, report, workloads, *alone); err != nil {
		return err
	}
	fmt.Print(report.Text())
	if *jsonFile != "" {
		if err := report.writeJSON(*jsonFile); err != nil {
			return err
		}
	}
	if *markdownFile != "" {
		if err := os.WriteFile(*markdownFile, []byte(report.Markdown()), 0o666); err != nil {
			return err
		}
	}
	return report.failure()
}

// fill does the measurements, and says on standard error where it is.
func (c *comparison) fill(ctx context.Context, r *Report, workloads []*bench.Workload, alone bool) error {
	for _, w := range workloads {
		fmt.Fprintf(os.Stderr, "compare: %s on %d implementations\n", w.Name(), len(c.implementations))
		row, err := c.compareKernel(w)
		if err = errors.Join(ctx.Err(), err); err != nil {
			return err
		}
		r.Rows = append(r.Rows, row)
	}
	if !alone {
		return nil
	}
	for _, w := range workloads {
		if r.Machine.CPUs < 2 {
			break
		}
		fmt.Fprintf(os.Stderr, "compare: %s with one and two workers\n", w.Name())
		f, err := c.workers(w)
		if err = errors.Join(ctx.Err(), err); err != nil {
			return err
		}
		r.Figures = append(r.Figures, f)
	}
	fmt.Fprintln(os.Stderr, "compare: scaling, launch, process start")
	for _, measure := range []func() (Figure, error){c.scaling, c.launch} {
		f, err := measure()
		if err = errors.Join(ctx.Err(), err); err != nil {
			return err
		}
		r.Figures = append(r.Figures, f)
	}
	figures, err := c.start(ctx)
	if err = errors.Join(ctx.Err(), err); err != nil {
		return err
	}
	r.Figures = append(r.Figures, figures...)
	fmt.Fprintln(os.Stderr, "compare: asynchronous copies")
	for _, measure := range []func() ([]Figure, error){c.copies, c.pipelines} {
		figures, err := measure()
		if err = errors.Join(ctx.Err(), err); err != nil {
			return err
		}
		r.Figures = append(r.Figures, figures...)
	}
	fmt.Fprintln(os.Stderr, "compare: operations of sub-groups")
	if figures, err = c.groups(); errors.Join(ctx.Err(), err) != nil {
		return errors.Join(ctx.Err(), err)
	}
	r.Figures = append(r.Figures, figures...)
	fmt.Fprintln(os.Stderr, "compare: pipes")
	if figures, err = c.pipes(); errors.Join(ctx.Err(), err) != nil {
		return errors.Join(ctx.Err(), err)
	}
	r.Figures = append(r.Figures, figures...)
	if c.commit != "" {
		fmt.Fprintln(os.Stderr, "compare: kernels at", c.commit)
		figures, err := c.base(ctx, c.commit, workloads)
		if err = errors.Join(ctx.Err(), err); err != nil {
			return err
		}
		r.Figures = append(r.Figures, figures...)
	}
	return nil
}

// find starts a worker for lockstep and for each implementation that there is.
func (c *comparison) find(ctx context.Context, grind string) error {
	if err := c.add(ctx, Implementation{Name: "lockstep"}, "", -1); err != nil {
		return err
	}
	libraries := []string{""}
	if grind == "" {
		grind = findOclgrind()
	}
	if grind != "" {
		libraries = append(libraries, grind)
	}
	for _, library := range libraries {
		platforms, err := c.list(ctx, library)
		if err != nil {
			fmt.Fprintln(os.Stderr, "compare:", err)
			continue
		}
		for i, p := range platforms {
			known := func(other Implementation) bool { return other.Name == shortName(p.Name) }
			if p.Device == "" || slices.ContainsFunc(c.implementations, known) {
				continue
			}
			impl := Implementation{Name: shortName(p.Name), Version: p.Version, Device: p.Device}
			if err := c.add(ctx, impl, library, i); err != nil {
				return err
			}
		}
	}
	if len(c.implementations) == 1 {
		fmt.Fprintln(os.Stderr, "compare: no OpenCL implementation found; on Debian, apt-get install oclgrind pocl-opencl-icd")
	}
	return nil
}

// shortName is the name that a platform goes by.
func shortName(platform string) string {
	if platform == "Portable Computing Language" {
		return "PoCL"
	}
	return platform
}

func (c *comparison) add(ctx context.Context, impl Implementation, library string, index int) error {
	p, err := startWorker(ctx, impl.Name, library, index, c.timeout)
	if err != nil {
		return err
	}
	c.implementations = append(c.implementations, impl)
	c.processes = append(c.processes, p)
	return nil
}

// list asks a worker of its own which platforms a library has.
func (c *comparison) list(ctx context.Context, library string) ([]platform, error) {
	name := library
	if name == "" {
		name = "the system's OpenCL library"
	}
	p, err := startWorker(ctx, name, library, 0, c.timeout)
	if err != nil {
		return nil, err
	}
	a, err := p.ask(request{Op: opList})
	if cerr := p.close(); err == nil {
		err = cerr
	}
	return a.Platforms, err
}

// findOclgrind gives the library that belongs to the command oclgrind, or "".
func findOclgrind() string {
	command, err := exec.LookPath("oclgrind")
	if err != nil {
		return ""
	}
	if command, err = filepath.EvalSymlinks(command); err != nil {
		return ""
	}
	prefix := filepath.Dir(filepath.Dir(command))
	for _, name := range []string{"lib/oclgrind/liboclgrind-rt.so", "lib/liboclgrind-rt.so", "lib/liboclgrind-rt.dylib"} {
		file := filepath.Join(prefix, filepath.FromSlash(name))
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// commandLine is how a person starts this run again; where the results were
// written does not belong to it.
func commandLine() string {
	words := []string{"go run ."}
	flag.Visit(func(f *flag.Flag) {
		if f.Name != "json" && f.Name != "markdown" {
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
