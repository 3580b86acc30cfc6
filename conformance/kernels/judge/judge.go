package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/conformance/kernels/judge/ocl"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// state is the kind of a verdict.
type state string

const (
	stateOK       state = "ok"
	stateNear     state = "near"
	stateKnown    state = "known"
	stateSkipped  state = "skipped"
	stateRefused  state = "refused"
	stateMismatch state = "MISMATCH"
)

// verdict is what became of one kernel.
type verdict struct {
	name   string
	state  state
	detail string
}

// String gives the line that is printed; parseVerdict reads it.
func (v verdict) String() string {
	return strings.TrimRight(fmt.Sprintf("%-24s %-8s %s", v.name, v.state, v.detail), " ")
}

// parseVerdict finds the verdict of the kernel called name in the output of a
// process that judged it.
func parseVerdict(name, out string) (verdict, bool) {
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != name {
			continue
		}
		s := state(f[1])
		switch s {
		case stateOK, stateNear, stateKnown, stateSkipped, stateRefused, stateMismatch:
			_, detail, _ := strings.Cut(line, f[1])
			return verdict{name, s, strings.TrimSpace(detail)}, true
		}
	}
	return verdict{}, false
}

// skipped is the verdict of a kernel that other implementations cannot run.
func skipped(k *kernels.Kernel) (v verdict, ok bool) {
	return verdict{k.Name, stateSkipped, k.Only}, k.Only != ""
}

// skippedSets are the verdicts of the sets whose names match, all of which other
// implementations cannot run.
func skippedSets(match *regexp.Regexp) []verdict {
	var out []verdict
	for _, s := range kernels.Sets() {
		if match.MatchString(s.Name) {
			out = append(out, verdict{s.Name, stateSkipped, kernels.Alone})
		}
	}
	return out
}

// judge runs k on the device and compares.
func judge(device ocl.Device, k *kernels.Kernel, il string) verdict {
	if v, ok := skipped(k); ok {
		return v
	}
	args := make([]*argspec.Arg, len(k.Launch.Args))
	want := make([][]byte, len(args))
	for i, spec := range k.Launch.Args {
		a, err := argspec.Parse(spec, nil)
		if err != nil {
			return verdict{k.Name, stateMismatch, err.Error()}
		}
		args[i] = a
		want[i] = slices.Clone(a.Data)
	}
	if err := k.Reference(k.Launch, want); err != nil {
		return verdict{k.Name, stateMismatch, err.Error()}
	}
	got, err := execute(device, k, il, args)
	if err != nil {
		return verdict{k.Name, stateRefused, strings.Join(strings.Fields(err.Error()), " ")}
	}
	v := compare(k, args, want, got)
	if v.state == stateMismatch {
		if why, ok := knownDifference(device, k.Name); ok {
			return verdict{k.Name, stateKnown, why + " (" + v.detail + ")"}
		}
	}
	return v
}

// standards are the language versions to try: the oldest that a kernel compiles
// in, for in it implementations are most complete.
var standards = []string{"-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"}

// build makes the program from source or from a SPIR-V module.
func build(device ocl.Device, ctx *ocl.Context, k *kernels.Kernel, il string) (*ocl.Program, error) {
	const exact = " -cl-fp32-correctly-rounded-divide-sqrt"
	if il != "" {
		binary, err := k.Binary(il)
		if err != nil {
			return nil, err
		}
		program, err := ctx.ProgramFromIL(binary.Code)
		if err != nil {
			return nil, err
		}
		return program, program.Build("")
	}
	var last error
	for _, std := range standards {
		program, err := ctx.ProgramFromSource(k.SourceFor(device.Extensions))
		if err != nil {
			return nil, err
		}
		for _, options := range []string{std + exact, std} {
			if err = program.Build(options); err == nil {
				return program, nil
			}
			last = err
		}
	}
	return nil, last
}

// execute runs the kernel once and gives the contents of its buffers.
func execute(device ocl.Device, k *kernels.Kernel, il string, args []*argspec.Arg) ([][]byte, error) {
	ctx, err := device.NewContext()
	if err != nil {
		return nil, err
	}
	program, err := build(device, ctx, k, il)
	if err != nil {
		return nil, err
	}
	kernel, err := program.Kernel(k.Entry)
	if err != nil {
		return nil, err
	}
	queue, err := ctx.NewQueue()
	if err != nil {
		return nil, err
	}
	buffers := make([]*ocl.Buffer, len(args))
	for i, a := range args {
		switch a.Kind {
		case argspec.Buffer:
			b, err := ctx.NewBuffer(len(a.Data))
			if err != nil {
				return nil, err
			}
			if err := queue.Write(b, a.Data); err != nil {
				return nil, err
			}
			buffers[i] = b
			err = kernel.SetBuffer(i, b)
			if err != nil {
				return nil, err
			}
		case argspec.Local:
			if err := kernel.SetLocal(i, a.Count); err != nil {
				return nil, err
			}
		case argspec.Null:
			if err := kernel.SetBuffer(i, nil); err != nil {
				return nil, err
			}
		default:
			if err := kernel.SetBytes(i, a.Data); err != nil {
				return nil, err
			}
		}
	}
	event, err := queue.Launch(kernel, k.Launch.Global, k.Launch.Local, k.Launch.Offset)
	if err != nil {
		return nil, err
	}
	if err := event.Wait(); err != nil {
		return nil, err
	}
	got := make([][]byte, len(args))
	for i, b := range buffers {
		if b == nil {
			continue
		}
		got[i] = make([]byte, b.Size())
		if err := queue.Read(b, got[i]); err != nil {
			return nil, err
		}
	}
	return got, nil
}

// verbose makes compare print every difference.
var verbose bool

// compare looks for the first difference between buffers.
func compare(k *kernels.Kernel, args []*argspec.Arg, want, got [][]byte) verdict {
	var worst uint64
	for i, a := range args {
		if a.Kind != argspec.Buffer || bytes.Equal(want[i], got[i]) {
			continue
		}
		size := a.Type.Size()
		differences, first := 0, -1
		tolerant := k.Tolerance != nil && a.Type.Float() && k.Tolerance.Bits == 8*size
		for at := 0; at+size <= len(want[i]); at += size {
			w, g := element(want[i][at:], size), element(got[i][at:], size)
			if w == g {
				continue
			}
			if tolerant {
				if d := distance(w, g, size); d <= k.Tolerance.Ulps {
					worst = max(worst, d)
					continue
				}
			}
			if verbose {
				fmt.Printf("  argument %d, element %d: want %#x, got %#x\n", i, at/size, w, g)
			}
			differences++
			if first < 0 {
				first = at / size
			}
		}
		if differences > 0 {
			w, g := element(want[i][first*size:], size), element(got[i][first*size:], size)
			return verdict{k.Name, stateMismatch, fmt.Sprintf("argument %d: %d of %d elements differ, first at %d: want %#x, got %#x",
				i, differences, len(want[i])/size, first, w, g)}
		}
	}
	if worst > 0 {
		return verdict{k.Name, stateNear, fmt.Sprintf("%d ulp", worst)}
	}
	return verdict{k.Name, stateOK, ""}
}

func element(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// distance counts the floating-point numbers from a to b.
func distance(a, b uint64, size int) uint64 {
	sign := uint64(1) << (8*size - 1)
	ordered := func(v uint64) uint64 {
		if v&sign != 0 {
			return sign - v&^sign
		}
		return sign + v
	}
	x, y := ordered(a), ordered(b)
	return max(x, y) - min(x, y)
}
