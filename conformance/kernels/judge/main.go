// Command judge runs every kernel of the kernels package on an OpenCL
// implementation of this machine and compares what it leaves in memory with the
// Go references, bit by bit.
//
//	go run .                        every kernel from source on the first device
//	go run . -platform oclgrind     on the platform whose name contains this word
//	go run . -il O2                 from the SPIR-V modules of this variant
//	go run . -run 'scan|fft'        only kernels whose name matches
//
// It prints one line a kernel: ok; near, with the largest distance in units in
// the last place, where the kernel allows one; known, where the implementation
// is known to be wrong, with the reason; skipped, where the kernel uses what only
// lockstep has, with the reason, as sets of kernels do that pipes connect; refused, where the implementation cannot build
// or run the kernel; or MISMATCH, with the first difference. The exit status is 1 when
// there was a mismatch. Each kernel runs in a process of its own, so that an
// implementation that crashes or hangs costs one line.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/conformance/kernels/judge/ocl"
)

func main() {
	platform := flag.String("platform", "", "take the first platform whose name contains `WORD` (any case)")
	library := flag.String("library", "", "load this OpenCL `FILE` and not the system's")
	il := flag.String("il", "", "build from the SPIR-V modules of `VARIANT` (O0, O2) and not from source")
	pattern := flag.String("run", "", "run only kernels whose name matches this `REGEXP`")
	timeout := flag.Duration("timeout", 2*time.Minute, "give a kernel up after `D`")
	here := flag.Bool("here", false, "run all kernels in this process")
	flag.BoolVar(&verbose, "v", false, "with -here, print every difference")
	flag.Parse()
	if err := run(*library, *platform, *il, *pattern, *timeout, *here); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

func run(library, platform, il, pattern string, timeout time.Duration, here bool) error {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	var selected []*kernels.Kernel
	for _, k := range kernels.All() {
		if match.MatchString(k.Name) {
			selected = append(selected, k)
		}
	}
	sets := skippedSets(match)
	if len(selected)+len(sets) == 0 {
		return fmt.Errorf("no kernel matches %q", pattern)
	}
	device, err := ocl.FindDevice(library, platform)
	if err != nil {
		return err
	}
	var verdicts []verdict
	if here {
		for _, k := range selected {
			v := judge(device, k, il)
			fmt.Println(v)
			verdicts = append(verdicts, v)
		}
	} else {
		for _, k := range selected {
			v, skip := skipped(k)
			if !skip {
				v = isolate(k.Name, timeout)
			}
			fmt.Println(v)
			verdicts = append(verdicts, v)
		}
	}
	for _, v := range sets {
		fmt.Println(v)
		verdicts = append(verdicts, v)
	}
	mismatches := 0
	for _, v := range verdicts {
		if v.state == stateMismatch {
			mismatches++
		}
	}
	if !here {
		summarize(device, verdicts)
	}
	if mismatches > 0 {
		return fmt.Errorf("%d of %d kernels differ from their references", mismatches, len(verdicts))
	}
	return nil
}

// isolate judges one kernel in a process of its own.
func isolate(name string, timeout time.Duration) verdict {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	args := []string{"-here", "-run", "^" + regexp.QuoteMeta(name) + "$"}
	flag.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "platform", "library", "il":
			args = append(args, "-"+f.Name, f.Value.String())
		}
	})
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if v, ok := parseVerdict(name, string(out)); ok {
		return v
	}
	why := "ended without a verdict"
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		why = fmt.Sprintf("gave no result in %v", timeout)
	case errors.As(err, &exit):
		why = exit.String()
		if lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n"); lines[0] != "" {
			why += ": " + lines[0]
		}
	case err != nil:
		why = err.Error()
	}
	return verdict{name: name, state: stateRefused, detail: why}
}

func summarize(device ocl.Device, verdicts []verdict) {
	count := map[state]int{}
	for _, v := range verdicts {
		count[v.state]++
	}
	fmt.Printf("\n%d kernels on %s, %s:", len(verdicts), device.Name, device.Version)
	for _, s := range []state{stateOK, stateNear, stateKnown, stateSkipped, stateRefused, stateMismatch} {
		if count[s] > 0 {
			fmt.Printf(" %d %s", count[s], s)
		}
	}
	fmt.Println()
}
