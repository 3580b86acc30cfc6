package native

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	process "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

var moduleFolder = flag.String("modules", "", "a folder that keeps the modules of TestOpenCLKernels, for machines without clang")

// numberOf returns how many random kernels a test runs.
func numberOf(n, short int) int {
	switch {
	case *programCount > 0:
		return *programCount
	case testing.Short():
		return short
	}
	return n
}

// lowered returns the bytecode of a module.
func lowered(t *testing.T, module []byte) *isa.Program {
	t.Helper()
	m, err := spirv.Decode(module)
	if err != nil {
		t.Fatal(err)
	}
	if errs := validate.Validate(m, validate.Options{}); len(errs) > 0 {
		t.Fatal(errs)
	}
	p, err := lower.Program(m, lower.Options{SubgroupSize: 32})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ran is what a launch leaves.
type ran struct {
	Buffers  [][]byte
	Counters engine.Counters
	Faults   []scheduler.Fault
}

// launch runs a random kernel on an engine.
func (w *written) launch(program *isa.Program, k *isa.Kernel, code engine.Code, opt scheduler.Options) (*ran, error) {
	mem := memory.NewGlobal(1 << 30)
	l := &engine.Launch{Program: program, Kernel: k, Dim: w.dim, Local: w.local, Groups: w.groups, Offset: w.offset, Scalars: slices.Clone(k.ScalarInit),
		Memory: mem, SubgroupSize: 32, Cancel: &atomic.Bool{}}
	for d := range l.Global {
		l.Global[d] = l.Groups[d] * uint64(l.Local[d])
	}
	for i := range k.Local {
		l.LocalSizes = append(l.LocalSizes, k.Local[i].Size)
	}
	r := &ran{}
	values := make([][]byte, len(w.params))
	for i, p := range w.params {
		if !p.pointer {
			values[i] = binary.LittleEndian.AppendUint32(nil, uint32(p.value))
			continue
		}
		data := memory.AlignedBytes(uint64(4 * p.length))
		for n := range p.length {
			v := uint32(n*2654435761) >> (i + 7)
			if p.t == cFloat {
				v = math.Float32bits(float32(v%2048) - 1000)
			}
			binary.LittleEndian.PutUint32(data[4*n:], v)
		}
		r.Buffers = append(r.Buffers, data)
		b, err := mem.AllocBytes(p.name, data, p.input)
		if err != nil {
			return nil, err
		}
		values[i] = binary.LittleEndian.AppendUint64(nil, uint64(b))
	}
	for _, x := range k.ParamRegs {
		v := values[x.Param]
		v = v[min(x.Offset, uint64(len(v))):]
		v = append(slices.Clone(v[:min(int(x.Size), len(v))]), make([]byte, 8)...)
		l.Scalars[x.Scalar] = binary.LittleEndian.Uint64(v)
	}
	res, err := scheduler.New(code).Run(context.Background(), l, opt)
	if err != nil {
		return nil, err
	}
	r.Counters, r.Faults = res.Counters, res.Faults
	return r, nil
}

// difference says how two launches differ, "" if they do not.
func (w *written) difference(want, got *ran) string {
	for i := range want.Buffers {
		a, b := want.Buffers[i], got.Buffers[i]
		if bytes.Equal(a, b) {
			continue
		}
		wrong, first := 0, -1
		for n := 0; n < len(a); n += 4 {
			if !bytes.Equal(a[n:n+4], b[n:n+4]) {
				if wrong++; first < 0 {
					first = n
				}
			}
		}
		return fmt.Sprintf("buffer %d: %d of %d words are wrong; word %d is %#x, want %#x", i, wrong, len(a)/4, first/4,
			binary.LittleEndian.Uint32(b[first:]), binary.LittleEndian.Uint32(a[first:]))
	}
	if want.Counters != got.Counters {
		return "counters (-interp +native):\n" + cmp.Diff(want.Counters, got.Counters)
	}
	if len(want.Faults) != len(got.Faults) {
		return fmt.Sprintf("%d faults, want %d", len(got.Faults), len(want.Faults))
	}
	for i := range want.Faults {
		a, b := &want.Faults[i], &got.Faults[i]
		if !sameFault(&a.Fault, &b.Fault) || a.Group != b.Group || a.Count != b.Count || a.Groups != b.Groups {
			return fmt.Sprintf("fault %d: %+v of %d work-items, want %+v of %d", i, b.Fault, b.Count, a.Fault, a.Count)
		}
	}
	return ""
}

// check runs a random kernel on package interp and on an engine, one work-group after the other and, if these have nothing to do
// with one another, at the same time.
func (w *written) check(t *testing.T, e Engine, program *isa.Program, k *isa.Kernel, source string) (faults bool) {
	t.Helper()
	opt := scheduler.Options{WaveLanes: []int{0, 0, 0, 32, 64, 128}[w.n(6)]}
	if w.n(8) == 0 {
		opt.Order, opt.Seed = scheduler.Order(1+w.n(2)), uint64(w.n(100))
	}
	e.failed = func(err error) { t.Errorf("%v\n%s\n%s", err, source, k.Text(program)) }
	code, err := e.Compile(program, k)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := interp.Engine{}.Compile(program, k)
	if err != nil {
		t.Fatal(err)
	}
	want, err := w.launch(program, k, reference, opt)
	if err != nil {
		t.Fatal(err)
	}
	parallel := opt
	parallel.Workers, parallel.Parallel = 3, scheduler.ParallelAlways
	for i, opt := range []scheduler.Options{opt, parallel} {
		if i > 0 && (w.racy || len(want.Faults) > 0 || opt.Order != scheduler.InOrder) {
			break
		}
		got, err := w.launch(program, k, code, opt)
		if err != nil {
			t.Fatal(err)
		}
		if d := w.difference(want, got); d != "" {
			t.Fatalf("%s, %+v, local %v, groups %v, offset %v: %s\n%s\n%s", w.name, opt, w.local, w.groups, w.offset, d, source, k.Text(program))
		}
	}
	return len(want.Faults) > 0
}

// sourceOf returns the decisions for random kernel number seed.
func sourceOf(seed int) *source { return &source{state: uint64(seed)*0xd6e8feb86659fd93 + 7} }

// TestKernels runs random kernels in the shape that people give them, as unoptimized SPIR-V, on this engine and on package interp. The
// kernels are compiled for the instruction sets that this machine lacks as well.
func TestKernels(t *testing.T) {
	count := numberOf(300, 60)
	programs, texts := make([]*isa.Program, count), make([]string, count)
	for i := range programs {
		seed := *programFirst + i
		texts[i] = newWritten(sourceOf(seed), fmt.Sprint("k", seed)).spirvText(seed%4 > 0)
		module, err := asm.Assemble(texts[i], asm.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, texts[i])
		}
		programs[i] = lowered(t, module)
	}
	t.Run("run", func(t *testing.T) {
		each(t, func(t *testing.T, e Engine) {
			faults := 0
			for i, program := range programs {
				seed := *programFirst + i
				w := newWritten(sourceOf(seed), fmt.Sprint("k", seed))
				if w.check(t, e, program, program.Kernels[0], texts[i]) {
					faults++
				}
			}
			if faults > count/4 {
				t.Errorf("%d of %d kernels fault", faults, count)
			}
		})
	})
	for _, set := range sets {
		t.Run("compile/"+set.name, func(t *testing.T) {
			for _, program := range programs {
				compileFor(t, set.features, program.Kernels[0])
			}
		})
	}
}

// batch is how many kernels clang compiles at once.
const batch = 50

// openCLModules returns the modules of random kernels from first on: made by clang and the translator, or from *moduleFolder.
func openCLModules(t *testing.T, first, count int) (modules [][]byte, list [][]*written) {
	t.Helper()
	folder := *moduleFolder
	if folder == "" {
		folder = t.TempDir()
	}
	clang, err := process.LookPath("clang-15")
	translator, missing := process.LookPath("llvm-spirv-15")
	lacks := err != nil || missing != nil
	for n := 0; n < count; n += batch {
		var kernels []*written
		var text strings.Builder
		for i := range min(batch, count-n) {
			w := newWritten(sourceOf(first+n+i), fmt.Sprint("k", first+n+i))
			kernels = append(kernels, w)
			text.WriteString(w.openCL())
		}
		number := (first + n) / batch
		target, level := "spir64-unknown-unknown", "-O1"
		if number%4 == 3 {
			target = "spir-unknown-unknown"
		}
		if number%3 == 2 {
			level = "-O2"
		}
		path := filepath.Join(folder, fmt.Sprintf("kernels-%d-%d", first+n, len(kernels)))
		if _, err := os.Stat(path + ".spv"); err != nil {
			if lacks {
				t.Skip("clang-15 and llvm-spirv-15 are not both here")
			}
			if err := os.WriteFile(path+".cl", []byte(text.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, c := range []*process.Cmd{
				process.Command(clang, "-x", "cl", "-cl-std=CL1.2", "-target", target, "-Xclang", "-finclude-default-header", level, "-ffp-contract=off",
					"-fno-vectorize", "-fno-slp-vectorize", "-mllvm", "-replexitval=never", "-w", "-emit-llvm", "-c", path+".cl", "-o", path+".bc"),
				process.Command(translator, path+".bc", "-o", path+".new"),
			} {
				if out, err := c.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", c, err, out)
				}
			}
			if err := errors.Join(os.Remove(path+".bc"), os.Rename(path+".new", path+".spv")); err != nil {
				t.Fatal(err)
			}
		}
		module, err := os.ReadFile(path + ".spv")
		if err != nil {
			t.Fatal(err)
		}
		modules, list = append(modules, module), append(list, kernels)
	}
	return modules, list
}

// TestOpenCLKernels is TestKernels for the same kernels as OpenCL C, by way of clang and the translator, where these are.
func TestOpenCLKernels(t *testing.T) {
	count := numberOf(200, batch)
	modules, list := openCLModules(t, *programFirst, count)
	var programs []*isa.Program
	for _, module := range modules {
		programs = append(programs, lowered(t, module))
	}
	kernelOf := func(p *isa.Program, name string) *isa.Kernel {
		i := slices.IndexFunc(p.Kernels, func(k *isa.Kernel) bool { return k.Name == name })
		if i < 0 {
			t.Fatalf("no kernel %s", name)
		}
		return p.Kernels[i]
	}
	t.Run("run", func(t *testing.T) {
		each(t, func(t *testing.T, e Engine) {
			for i, program := range programs {
				for n := range list[i] {
					w := newWritten(sourceOf(*programFirst+i*batch+n), list[i][n].name)
					w.check(t, e, program, kernelOf(program, w.name), w.openCL())
				}
			}
		})
	})
	for _, set := range sets {
		t.Run("compile/"+set.name, func(t *testing.T) {
			for i, program := range programs {
				for _, w := range list[i] {
					compileFor(t, set.features, kernelOf(program, w.name))
				}
			}
		})
	}
}
