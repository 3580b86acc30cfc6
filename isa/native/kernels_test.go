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
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/race"
	"github.com/lockstep-gpu/lockstep/scheduler"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

var moduleFolder = flag.String("modules", "", "a folder that keeps the modules of TestOpenCLKernels, for machines without clang")

// numberOf returns how many random kernels a test runs, n of them with -long.
func numberOf(n, short int) int {
	if *programCount > 0 {
		return *programCount
	}
	return amount(short, max(short, n/2), n)
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
	memory   weak.Pointer[memory.Global]
	races    int
}

// launch runs a random kernel on an engine.
func (w *written) launch(program *isa.Program, k *isa.Kernel, code engine.Code, opt scheduler.Options) (*ran, error) {
	mem := memory.NewGlobal(1 << 30)
	l := &engine.Launch{Program: program, Kernel: k, Dim: w.dim, Local: w.local, Groups: w.groups, Offset: w.offset, Scalars: slices.Clone(k.ScalarInit),
		Memory: mem, SubgroupSize: 32, Cancel: &atomic.Bool{}}
	if opt.Races != nil { // those of this memory
		opt.Races = race.New(mem)
		l.Check = true
	}
	for d := range l.Global {
		l.Global[d] = l.Groups[d] * uint64(l.Local[d])
	}
	for i := range k.Local {
		l.LocalSizes = append(l.LocalSizes, k.Local[i].Size)
	}
	r := &ran{memory: weak.Make(mem)}
	values := make([][]byte, len(w.params))
	for i, p := range w.params {
		if !p.pointer {
			values[i] = binary.LittleEndian.AppendUint32(nil, uint32(p.value))
			continue
		}
		data := memory.AlignedBytes(uint64(4 * p.length))
		for n := range p.length {
			v := uint32(n) * 2654435761 >> (i + 7)
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
	if opt.Races != nil {
		races, missed := opt.Races.Races()
		r.races = len(races)
		if missed != (race.Missed{}) {
			r.races++
		}
	}
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

// check runs a random kernel on package interp and on an engine, one work-group after the other and, if these
// have nothing to do with one another, at the same time.
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

// sourceOf returns the decisions for random kernel number seed. The factor is not the step of [source.n]: with
// that, the decisions for one number would be those for the number before it from the second on.
func sourceOf(seed int) *source { return &source{state: uint64(seed)*0xd6e8feb86659fd93 + 7} }

// TestMoreOfKernels sees that random kernels have enough of each thing that only some of them have.
func TestMoreOfKernels(t *testing.T) {
	var all more
	for seed := range 400 {
		m := newWritten(sourceOf(seed), "k").more
		all.narrowLoads += m.narrowLoads
		all.narrowStores += m.narrowStores
		all.vectorLoads += m.vectorLoads
		all.vectorStores += m.vectorStores
		all.switches += m.switches
		all.chosen += m.chosen
		all.walks += m.walks
		all.privates += m.privates
	}
	t.Logf("in 400 kernels: %+v", all)
	for _, n := range []int{all.narrowLoads, all.narrowStores, all.vectorLoads, all.vectorStores, all.switches, all.chosen, all.walks, all.privates} {
		if n < 10 {
			t.Errorf("too few of something: %+v", all)
		}
	}
}

// TestKernels runs random kernels in the shape that people give them, as unoptimized SPIR-V, on this engine
// and on package interp. The kernels are compiled for the instruction sets that this machine lacks as well.
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
	for _, i := range unrun(t) {
		set := sets[i]
		t.Run("compile/"+set.name, func(t *testing.T) {
			for _, program := range programs {
				compileFor(t, set.features, program.Kernels[0])
			}
		})
	}
}

// batch is how many kernels clang compiles at once.
const batch = 50

// openCLBatch is a module of random kernels, first being the number of the first.
type openCLBatch struct {
	first   int
	kernels []*written
	program *isa.Program
}

// openCLMaker has clang and the translator make modules, or finds them in a folder.
type openCLMaker struct {
	folder            string
	clang, translator string // "" where these are not both here
	dropped           []int  // kernels that they cannot compile
}

// batches returns the modules of random kernels from first on. Kernels of which the translator makes no valid
// module are left out.
func (m *openCLMaker) batches(t *testing.T, first, count int) (list []openCLBatch) {
	t.Helper()
	b := openCLBatch{first: first}
	var text strings.Builder
	for i := range count {
		w := newWritten(sourceOf(first+i), fmt.Sprint("k", first+i))
		b.kernels = append(b.kernels, w)
		text.WriteString(w.openCL())
	}
	path := filepath.Join(m.folder, fmt.Sprintf("kernels-%d-%d", first, count))
	module, err := os.ReadFile(path + ".spv")
	if err != nil {
		if m.clang == "" || m.translator == "" {
			t.Skip("clang-15 and llvm-spirv-15 are not both here")
		}
		module = m.compile(t, path, text.String(), first/batch)
		if err := os.WriteFile(path+".spv", module, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if len(module) > 0 {
		b.program = lowered(t, module)
		return []openCLBatch{b}
	}
	if count == 1 {
		m.dropped = append(m.dropped, first)
		return nil
	}
	return append(m.batches(t, first, count/2), m.batches(t, first+count/2, count-count/2)...)
}

// compile returns a module of OpenCL C, or nil if the tools cannot make one.
func (m *openCLMaker) compile(t *testing.T, path, source string, number int) []byte {
	t.Helper()
	if err := os.WriteFile(path+".cl", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	target, level := "spir64-unknown-unknown", "-O1"
	if number%4 == 3 {
		target = "spir-unknown-unknown"
	}
	if number%3 == 2 {
		level = "-O2"
	}
	for _, c := range []*process.Cmd{
		// Without -replexitval=never, clang computes what loops leave behind with integers of 33 bits, which
		// the translator refuses.
		process.Command(m.clang, "-x", "cl", "-cl-std=CL1.2", "-target", target, "-Xclang", "-finclude-default-header", level, "-ffp-contract=off",
			"-fno-vectorize", "-fno-slp-vectorize", "-mllvm", "-replexitval=never", "-w", "-emit-llvm", "-c", path+".cl", "-o", path+".bc"),
		process.Command(m.translator, path+".bc", "-o", path+".new"),
	} {
		if out, err := c.CombinedOutput(); err != nil {
			t.Logf("%v: %v\n%s", c, err, out)
			return nil
		}
	}
	module, err := os.ReadFile(path + ".new")
	if err := errors.Join(err, os.Remove(path+".bc"), os.Remove(path+".new")); err != nil {
		t.Fatal(err)
	}
	decoded, err := spirv.Decode(module)
	if err != nil {
		t.Fatal(err)
	}
	if errs := validate.Validate(decoded, validate.Options{}); len(errs) > 0 {
		t.Logf("the translator's module %s: %v", path, errs)
		return nil
	}
	return module
}

// TestOpenCLKernels is TestKernels for the same kernels as OpenCL C, by way of clang and the translator,
// where these are.
func TestOpenCLKernels(t *testing.T) {
	count := numberOf(200, batch)
	m := &openCLMaker{folder: *moduleFolder}
	if m.folder == "" {
		m.folder = t.TempDir()
	}
	m.clang, _ = process.LookPath("clang-15")
	m.translator, _ = process.LookPath("llvm-spirv-15")
	var list []openCLBatch
	for n := 0; n < count; n += batch {
		list = append(list, m.batches(t, *programFirst+n, min(batch, count-n))...)
	}
	if len(m.dropped) > 1+count/50 {
		t.Errorf("%d of %d kernels cannot be compiled: %v", len(m.dropped), count, m.dropped)
	}
	eachKernel := func(do func(*written, *isa.Program, *isa.Kernel)) {
		for _, b := range list {
			for i, w := range b.kernels {
				w = newWritten(sourceOf(b.first+i), w.name) // with all its decisions before it
				n := slices.IndexFunc(b.program.Kernels, func(k *isa.Kernel) bool { return k.Name == w.name })
				do(w, b.program, b.program.Kernels[n])
			}
		}
	}
	t.Run("run", func(t *testing.T) {
		each(t, func(t *testing.T, e Engine) {
			eachKernel(func(w *written, p *isa.Program, k *isa.Kernel) { w.check(t, e, p, k, w.openCL()) })
		})
	})
	for _, i := range unrun(t) {
		set := sets[i]
		t.Run("compile/"+set.name, func(t *testing.T) {
			eachKernel(func(_ *written, _ *isa.Program, k *isa.Kernel) { compileFor(t, set.features, k) })
		})
	}
}
